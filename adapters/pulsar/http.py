"""Admin calls over HTTP or HTTPS. A redirect to the broker that owns a topic is followed, with the login."""

import ssl
from concurrent.futures import Future
from threading import Thread

import httpx

from fencepost.adapters.common.access_token import Token
from fencepost.adapters.common.address import Address
from fencepost.adapters.common.shared_outcomes import Unreachable
from fencepost.adapters.common.tls import Tls, refused
from fencepost.contract.errors import SystemUnreachable
from fencepost.contract.outcomes import Done, Unknown
from fencepost.wire.pulsar.admin import AdminAnswer, AdminRequest

from .pulsar_login import PulsarLoginRefused
from .transport import PendingAnswer

_REDIRECTS = 20
_WANTS_LOGIN = httpx.codes.UNAUTHORIZED


class _OnItsWay:
    """A call that a thread makes."""

    def __init__(self, admin: "HttpAdmin", request: AdminRequest, deadline_s: float) -> None:
        self._result: Future[Done[AdminAnswer] | Unknown] = Future()
        Thread(target=self._call, args=(admin, request, deadline_s), daemon=True).start()

    def answer(self, within_s: float) -> Done[AdminAnswer] | Unknown | None:
        try:
            return self._result.result(within_s)
        except TimeoutError:
            return None

    def _call(self, admin: "HttpAdmin", request: AdminRequest, deadline_s: float) -> None:
        try:
            self._result.set_result(admin.call(request, deadline_s))
        except Exception as error:
            self._result.set_exception(error)
        finally:
            admin.close()


class HttpAdmin:
    """The admin interface at a URL such as http://127.0.0.1:8080."""

    def __init__(self, url: str, tls: Tls | None = None, token: Token | None = None) -> None:
        self._url = url.rstrip("/")
        self._tls = tls
        self._token = token
        self._client: httpx.Client | None = None

    def call(self, request: AdminRequest, deadline_s: float) -> Done[AdminAnswer] | Unknown:
        """Make one call, and read the whole answer. Raises AccessRefused, and SystemUnreachable for a redirect that leaves TLS."""
        if self._client is None:
            # A proxy that this machine's user has set is not used.
            self._client = httpx.Client(trust_env=False, verify=True if self._tls is None else self._tls.context)
        try:
            answer = self._followed(self._client, request, deadline_s)
        except httpx.TimeoutException:
            self.close()
            return Unknown(f"{self._url} did not answer {request} within {deadline_s:g} s")
        except httpx.ConnectError as error:
            self._refuse_tls(error)
            return Unreachable(f"{self._url} cannot be connected to for {request}: {error}")
        except httpx.HTTPError as error:
            self._refuse_tls(error)
            return Unknown(f"{self._url} did not answer {request}: {str(error) or 'the connection ended'}", lost=True)
        if answer.status_code == _WANTS_LOGIN:
            # The answer may quote the token.
            raise PulsarLoginRefused.by(
                f"{answer.url.scheme}://{answer.url.netloc.decode()}", f"401 for {request}", self._token is not None
            )
        return Done(AdminAnswer(answer.status_code, answer.content))

    def _followed(self, client: httpx.Client, request: AdminRequest, deadline_s: float) -> httpx.Response:
        headers = {} if self._token is None else {"Authorization": f"Bearer {self._token.read()}"}
        asked = client.build_request(
            request.method, self._url + request.path, params=dict(request.query), json=request.body, timeout=deadline_s, headers=headers
        )
        answer = client.send(asked)
        for _ in range(_REDIRECTS):
            # httpx removes the login from a request to another host.
            if (following := answer.next_request) is None:
                return answer
            if following.url.scheme != asked.url.scheme:
                raise SystemUnreachable(
                    f"{self._url} redirects {request} to {following.url.scheme}://{following.url.netloc.decode()}: expected another "
                    f"{asked.url.scheme}:// URL. The brokers must advertise their admin interfaces of that scheme."
                )
            following.headers.update(headers)
            answer = client.send(following)
        raise httpx.TooManyRedirects(f"redirected more than {_REDIRECTS} times", request=asked)

    def _refuse_tls(self, error: BaseException) -> None:
        """Close the connection. Raises TlsRefused if the reason is that the two ends do not agree about TLS."""
        self.close()
        cause: BaseException | None = error
        while cause is not None:
            # An end of the connection in the handshake may come from a broker that is stopping.
            if isinstance(cause, ssl.SSLError) and not isinstance(cause, ssl.SSLEOFError):
                where = httpx.URL(self._url)
                raise refused(cause, Address(where.host, where.port or 443), takes_properties=False) from error
            cause = cause.__cause__ or cause.__context__

    def begin(self, request: AdminRequest, deadline_s: float) -> PendingAnswer:
        """Make a call concurrently with others."""
        return _OnItsWay(HttpAdmin(self._url, self._tls, self._token), request, deadline_s)  # with a separate connection

    def close(self) -> None:
        """Close the connection, if there is one."""
        if self._client is not None:
            self._client.close()
            self._client = None
