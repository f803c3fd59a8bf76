"""Admin calls over HTTP. A redirect to the broker that owns a topic is followed."""

from concurrent.futures import Future
from threading import Thread

import httpx

from fencepost.adapters.common.outcomes import Unreachable
from fencepost.contract.outcomes import Done, Unknown
from fencepost.wire.pulsar.admin import AdminAnswer, AdminRequest

from .transport import PendingAnswer


class _OnItsWay:
    """A call that a thread waits for."""

    def __init__(self, url: str, request: AdminRequest, deadline_s: float) -> None:
        self._result: Future[Done[AdminAnswer] | Unknown] = Future()
        Thread(target=self._call, args=(url, request, deadline_s), daemon=True).start()

    def answer(self, within_s: float) -> Done[AdminAnswer] | Unknown | None:
        try:
            return self._result.result(within_s)
        except TimeoutError:
            return None

    def _call(self, url: str, request: AdminRequest, deadline_s: float) -> None:
        admin = HttpAdmin(url)  # a connection of its own
        try:
            self._result.set_result(admin.call(request, deadline_s))
        except Exception as error:
            self._result.set_exception(error)
        finally:
            admin.close()


class HttpAdmin:
    """The admin interface at a URL such as http://127.0.0.1:8080."""

    def __init__(self, url: str) -> None:
        self._url = url.rstrip("/")
        self._client: httpx.Client | None = None

    def call(self, request: AdminRequest, deadline_s: float) -> Done[AdminAnswer] | Unknown:
        """Make one call, and read the whole answer."""
        if self._client is None:
            # A proxy of this machine's user has no part in what is judged.
            self._client = httpx.Client(follow_redirects=True, trust_env=False)
        try:
            answer = self._client.request(
                request.method, self._url + request.path, params=dict(request.query), json=request.body, timeout=deadline_s
            )
        except httpx.TimeoutException:
            self.close()
            return Unknown(f"{self._url} did not answer {request} within {deadline_s:g} s")
        except httpx.ConnectError as error:
            self.close()
            return Unreachable(f"{self._url} cannot be connected to for {request}: {error}")
        except httpx.HTTPError as error:
            self.close()
            return Unknown(f"{self._url} did not answer {request}: {str(error) or 'the connection ended'}", lost=True)
        return Done(AdminAnswer(answer.status_code, answer.content))

    def begin(self, request: AdminRequest, deadline_s: float) -> PendingAnswer:
        """Make a call beside others."""
        return _OnItsWay(self._url, request, deadline_s)

    def close(self) -> None:
        """Close the connection, if there is one."""
        if self._client is not None:
            self._client.close()
            self._client = None
