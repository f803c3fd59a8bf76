"""allure-pytest keeps still while a scenario runs, where a user has it too: it would write each scenario a second time."""

import sys
from contextlib import ExitStack


def muted(stack: ExitStack) -> None:
    """Take allure-pytest's writers out until the stack is left; the user's own tests are written as ever."""
    if "allure_pytest" not in sys.modules:
        return
    from allure_commons import plugin_manager
    from allure_commons.logger import AllureFileLogger

    for writer in [plugin for plugin in plugin_manager.get_plugins() if isinstance(plugin, AllureFileLogger)]:
        plugin_manager.unregister(writer)
        stack.callback(plugin_manager.register, writer)
