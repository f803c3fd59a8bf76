"""A Java client's properties file: how the client reaches a broker and logs in.

Properties about reaching the broker are used, or refused with the remedy if this client does not support them; other properties, such as
those about batches, are ignored. No message contains a password.
"""

import re
from collections.abc import Mapping
from pathlib import Path

from fencepost.adapters.common.access_token import Token
from fencepost.adapters.common.tls import Tls, read_pem
from fencepost.contract.errors import WrongUsage

from .kafka_login import BEARER, MECHANISMS, KafkaLogin
from .security import KafkaSecurity

_PROTOCOLS = ("PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL")
_TAKEN = frozenset(
    {
        "security.protocol",
        "sasl.mechanism",
        "sasl.jaas.config",
        "ssl.truststore.location",
        "ssl.truststore.type",
        "ssl.truststore.certificates",
        "ssl.keystore.location",
        "ssl.keystore.type",
        "ssl.keystore.certificate.chain",
        "ssl.keystore.key",
        "ssl.key.password",
        "ssl.endpoint.identification.algorithm",
        "bootstrap.servers",
    }
)
_INLINE = {
    "ssl.keystore.certificate.chain": "write it into a file, and use ssl.keystore.location=FILE",
    "ssl.keystore.key": "write it after the certificates in the file of ssl.keystore.location",
}
_REMEDIES = {
    "sasl.login.callback.handler.class": "use --token command:CMD",
    "sasl.oauthbearer.token.endpoint.url": "use --token command:CMD",
    "sasl.client.callback.handler.class": "there is none here",
    "ssl.truststore.password": "a PEM file needs none; leave it out",
    "ssl.keystore.password": "a PEM file needs none; for its key use ssl.key.password",
}
"""The properties about reaching a broker that this client does not support, with the remedy."""
_LINE = re.compile(r"((?:[^\\\s=:]|\\.)+)(?:\s*[=:]\s*|\s+|$)(.*)", re.DOTALL)
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|.)", re.DOTALL)
_LETTERS = {"n": "\n", "t": "\t", "r": "\r", "f": "\f"}
_JAAS = re.compile(r"^\s*([\w.$]+)\s+\w+\s*(.*?);?\s*$", re.DOTALL)
_JAAS_OPTION = re.compile(r"(\w+)\s*=\s*(?:\"((?:[^\"\\]|\\.)*)\"|([^\s;\"]+))", re.DOTALL)
_VARIABLE = re.compile(r"\$\{env:(?:[^:}]*:)?([A-Za-z_]\w*)\}")


def read(file: Path, token: Token | None, environment: Mapping[str, str]) -> tuple[KafkaSecurity, str | None]:
    """The security settings of the file, and its bootstrap.servers. Raises WrongUsage."""
    try:
        found = properties(file.read_text())
    except (OSError, UnicodeDecodeError) as error:
        wrong = getattr(error, "strerror", None) or "it is no text"
        raise WrongUsage(f"--client-properties {file}: {wrong}; expected a Java client's properties file") from None
    return _Reader(file, {name: _filled_in(file, name, value, environment) for name, value in found.items()}).read(token)


def properties(text: str) -> dict[str, str]:
    """The properties of a file as `java.util.Properties` reads it: with comments, continued lines and escapes."""
    found: dict[str, str] = {}
    going_on = ""
    for line in text.splitlines():
        whole = going_on + line.lstrip()
        going_on = ""
        if whole.startswith(("#", "!")) or not whole.strip():
            continue
        if (len(whole) - len(whole.rstrip("\\"))) % 2:
            going_on = whole[:-1]
        elif match := _LINE.match(whole):
            found[_plain(match[1])] = _plain(match[2])
    if going_on and (match := _LINE.match(going_on)):
        found[_plain(match[1])] = _plain(match[2])
    return found


def _plain(text: str) -> str:
    def letter(escape: re.Match[str]) -> str:
        what = escape[1]
        return chr(int(what[1:], 16)) if len(what) > 1 else _LETTERS.get(what, what)

    return _ESCAPE.sub(letter, text)


def _filled_in(file: Path, name: str, value: str, environment: Mapping[str, str]) -> str:
    """The value with each `${env:VARIABLE}` replaced, as Kafka's EnvVarConfigProvider does."""

    def variable(match: re.Match[str]) -> str:
        if match[1] not in environment:
            raise WrongUsage(f"--client-properties {file}: {name} names the variable {match[1]} of the environment, which is not set")
        return environment[match[1]]

    return _VARIABLE.sub(variable, value)


class _Reader:
    """The properties of one file."""

    def __init__(self, file: Path, found: Mapping[str, str]) -> None:
        self._file, self._found = file, found

    def read(self, token: Token | None) -> tuple[KafkaSecurity, str | None]:
        for name in self._found.keys() & {*_REMEDIES, *_INLINE}:
            raise self._wrong(name, (_REMEDIES | _INLINE)[name])
        for name in self._found:
            if name.startswith(("ssl.", "sasl.")) and name not in _TAKEN and not name.startswith("sasl.login."):
                raise self._wrong(name, f"it is none of {', '.join(sorted(_TAKEN))}; leave it out", self._found[name])
        protocol = self._one_of("security.protocol", _PROTOCOLS, "PLAINTEXT")
        tls = self._tls() if protocol.endswith("SSL") else None
        login = self._login(token) if protocol.startswith("SASL") else None
        if token is not None and (login is None or login.mechanism != BEARER):
            raise WrongUsage(
                f"--token and --client-properties {self._file}: a token needs sasl.mechanism={BEARER}, and SASL_SSL or SASL_PLAINTEXT"
            )
        return KafkaSecurity(tls, login), self._found.get("bootstrap.servers")

    def _tls(self) -> Tls:
        for store in ("truststore", "keystore"):
            if store in {name.split(".")[1] for name in self._found if name.startswith("ssl.")}:
                self._check_pem(store)
        location, given = self._found.get("ssl.truststore.location"), self._found.get("ssl.truststore.certificates")
        if location and given:
            raise self._wrong("ssl.truststore.certificates", "ssl.truststore.location is there too: leave out one of them")
        algorithm = self._found.get("ssl.endpoint.identification.algorithm", "https")
        if algorithm.lower() not in ("", "https"):
            raise self._wrong("ssl.endpoint.identification.algorithm", "expected https, or nothing after the =", algorithm)
        keystore = self._found.get("ssl.keystore.location")
        tls = Tls(
            read_pem(f"{self._file}: ssl.truststore.location", Path(location)) if location else given,
            Path(keystore) if keystore else None,
            checks_name=bool(algorithm),
            passphrase=self._found.get("ssl.key.password"),
            takes_properties=True,
        )
        tls.check()
        return tls

    def _check_pem(self, store: str) -> None:
        name, kind = f"ssl.{store}.type", self._found.get(f"ssl.{store}.type", "JKS")
        if kind.upper() != "PEM":
            how = "keytool -exportcert -rfc -keystore FILE -alias NAME" if kind.upper() == "JKS" else "openssl pkcs12 -in FILE -nodes"
            absent = "" if name in self._found else ", which is the default"
            raise WrongUsage(
                f"--client-properties {self._file}: {name}={kind}{absent}: expected PEM. A store becomes PEM by: {how} "
                f"(keytool -importkeystore -deststoretype PKCS12 converts between the two); then use {name}=PEM"
            )

    def _login(self, token: Token | None) -> KafkaLogin:
        mechanism = self._one_of("sasl.mechanism", MECHANISMS, "GSSAPI")
        if mechanism == BEARER:
            if token is None:
                raise self._wrong("sasl.mechanism", "use --token file:PATH, env:VARIABLE or command:CMD", BEARER)
            return KafkaLogin("token", token, BEARER)
        match = _JAAS.match(self._found.get("sasl.jaas.config", ""))
        options = {name: _plain(quoted or plain) for name, quoted, plain in _JAAS_OPTION.findall(match[2])} if match else {}
        wanted = "Scram" if mechanism.startswith("SCRAM") else "Plain"
        if match is None or not match[1].endswith(f"{wanted}LoginModule") or not {"username", "password"} <= options.keys():
            expected = f'org.apache.kafka.common.security.{wanted.lower()}.{wanted}LoginModule required username="..." password="...";'
            raise self._wrong("sasl.jaas.config", f"expected for {mechanism}: {expected}", "(not shown)")
        return KafkaLogin(options["username"], options["password"], mechanism)

    def _one_of(self, name: str, known: tuple[str, ...], default: str) -> str:
        value = self._found.get(name, default).strip()
        if value not in known:
            raise self._wrong(name, f"expected one of {', '.join(known)}", value)
        return value

    def _wrong(self, name: str, why: str, value: str | None = None) -> WrongUsage:
        shown = "" if value is None else f"={'(not shown)' if re.search('password|jaas|secret|key', name) else value}"
        return WrongUsage(f"--client-properties {self._file}: {name}{shown}: {why}")
