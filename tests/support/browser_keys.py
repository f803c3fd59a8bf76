"""A browser that a test uses as a reader without a pointer does: it opens pages one after the other and presses keys.

Chromium is spoken to over the pipe of its DevTools, so nothing listens on a port.
"""

import itertools
import json
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from browser import CHROMIUM

_SWITCHES = ("--headless=new", "--no-sandbox", "--disable-gpu", "--allow-file-access-from-files", "--remote-debugging-pipe")
_KEYS = {"Tab": 9, "Enter": 13, "Escape": 27}


@dataclass
class Reader:
    """One tab of a browser. What the browser answers with an error raises RuntimeError."""

    asks: int
    answers: int
    session: str = ""
    _left: bytes = b""
    _ids: Iterator[int] = field(default_factory=lambda: itertools.count(1))

    def open(self, address: str, width: int = 1000) -> None:
        """Open a page, and return when it has loaded and was drawn."""
        size = {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": False}
        self.ask("Emulation.setDeviceMetricsOverride", **size)
        self.ask("Page.navigate", url=address)
        self.until_loaded()
        self.run("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))")

    def until_loaded(self) -> None:
        """Wait for the next page to load."""
        self._until("Page.loadEventFired")

    def press(self, key: str) -> None:
        """Press a key and let it go."""
        for kind in ("rawKeyDown", "keyUp"):
            self.ask("Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=_KEYS[key])

    def write(self, words: str) -> None:
        """Type words where the focus is."""
        self.ask("Input.insertText", text=words)

    def run(self, script: str) -> Any:
        """What an expression is in the page; a promise is waited for."""
        answer = self.ask("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(answer["exceptionDetails"])
        return answer["result"].get("value")

    def ask(self, method: str, **parameters: Any) -> dict[str, Any]:
        """One command of the DevTools, and its answer."""
        number = next(self._ids)
        message = {"id": number, "method": method, "params": parameters} | ({"sessionId": self.session} if self.session else {})
        os.write(self.asks, json.dumps(message).encode() + b"\0")
        answer = self._until(number)
        if "error" in answer:
            raise RuntimeError(f"{method}: {answer['error']}")
        return dict(answer["result"])

    def _until(self, wanted: int | str) -> dict[str, Any]:
        while True:
            while b"\0" not in self._left:
                got = os.read(self.answers, 1 << 16)
                if not got:
                    raise RuntimeError("the browser has ended")
                self._left += got
            line, _, self._left = self._left.partition(b"\0")
            message: dict[str, Any] = json.loads(line)
            if wanted in (message.get("id"), message.get("method")):
                return message


@contextmanager
def reader(folder: Path, on_each_page: str = "") -> Iterator[Reader]:
    """A browser with one tab, whose profile is in that folder. `on_each_page` runs before anything of a page does."""
    assert CHROMIUM is not None
    (its_in, asks), (answers, its_out) = os.pipe(), os.pipe()
    command = f'exec "$@" 3<&{its_in} 4>&{its_out}'
    with subprocess.Popen(
        ["/bin/bash", "-c", command, "-", CHROMIUM, *_SWITCHES, f"--user-data-dir={folder / 'profile'}", "about:blank"],
        pass_fds=(its_in, its_out),
        stderr=subprocess.DEVNULL,
    ) as browser:
        os.close(its_in)
        os.close(its_out)
        try:
            one = Reader(asks, answers)
            target = one.ask("Target.createTarget", url="about:blank")["targetId"]
            one.session = one.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
            one.ask("Page.enable")
            one.ask("Page.addScriptToEvaluateOnNewDocument", source=on_each_page)
            yield one
        finally:
            browser.terminate()
            browser.wait()
            os.close(asks)
            os.close(answers)
