"""Which known deviations hold for a broker: those of the release that it is known to be, and none if that is not known.

A genuine release was started from its project's own image, and reports the same version as the image's tag. Anything else that speaks the
protocol may be another broker: no release's deviations excuse it, unless the user names its release (`--known-as`).
"""

from collections.abc import Collection
from dataclasses import dataclass

from packaging.version import Version

from fencepost.contract.releases import agree, more_exact, version_of

_HUBS = ("docker.io", "index.docker.io")
_LIBRARY = "library"


@dataclass(frozen=True)
class ImageName:
    """An image as Docker reads its name: `repository` without the default registry, `tag` None if there is none."""

    repository: str
    tag: str | None

    @classmethod
    def of(cls, name: str) -> "ImageName":
        """Take a name apart. A digest names no version; an image of Docker's own library gets the library in its repository."""
        path, _, rest = name.partition("@")[0].rpartition("/")
        last, _, tag = rest.partition(":")
        parts = [*path.split("/"), last] if path else [last]
        if len(parts) > 1 and parts[0] in _HUBS:
            del parts[0]
        if len(parts) == 1:
            parts.insert(0, _LIBRARY)
        return cls("/".join(parts), tag or None)

    @property
    def reported(self) -> str:
        """The repository as people write it."""
        return self.repository.removeprefix(f"{_LIBRARY}/")

    @property
    def version(self) -> Version | None:
        """The version that the tag names, if it does."""
        return None if self.tag is None else version_of(self.tag)


@dataclass(frozen=True)
class Project:
    """A project whose releases are known: its title, the system's name, and the names of its images."""

    title: str
    system: str
    official: Collection[str]

    def is_official(self, image: ImageName) -> bool:
        return image.repository in {ImageName.of(name).repository for name in self.official}


@dataclass(frozen=True)
class Whose:
    """Whose deviations hold, which release the broker looks like, and why: the fields of `Handshake` with these names."""

    judged_as: tuple[str, str] | None = None
    looks_like: tuple[str, str] | None = None
    deviations: str | None = None


def of_image(project: Project, name: str, reported: str | None, said: str) -> Whose:
    """For a broker from the image of that name.

    `reported` is the release line or version that follows from the broker's report, or None; `said` is the report in words, such as
    "supports metadata.version up to 30".
    """
    image = ImageName.of(name)
    like = None if reported is None else (project.system, reported)
    if not project.is_official(image):
        return Whose(looks_like=like, deviations=f"no bundled deviations: {name} is not the official image; {_remedy(project, reported)}")
    if reported is None:
        return Whose(deviations=f"no bundled deviations: {name} {said}, as no known release does")
    tagged = image.version
    if tagged is not None and not agree(str(tagged), reported):
        why = (
            f"no bundled deviations: {name} is tagged {image.tag}, but the broker {said}, as {reported} does; {_remedy(project, reported)}"
        )
        return Whose(looks_like=like, deviations=why)
    version = reported if tagged is None else more_exact(str(tagged), reported)
    why = f"the bundled deviations of {project.system} {version} hold: {name} is the official image, and the broker {said}"
    return Whose((project.system, version), deviations=why)


def of_stranger(project: Project, where: str, reported: str | None) -> Whose:
    """For a broker that runs already: no deviations hold, since any broker can report the same about itself."""
    like = None if reported is None else (project.system, reported)
    why = f"no bundled deviations: fencepost did not start {where}, so it may be any broker; {_remedy(project, reported)}"
    return Whose(looks_like=like, deviations=why)


def of_imitation(profile: str, release: tuple[str, str]) -> Whose:
    """For the reference with a release's profile, which behaves like that release."""
    system, version = release
    return Whose(release, deviations=f"the bundled deviations of {system} {version} hold: the profile {profile} imitates that release")


def _remedy(project: Project, reported: str | None) -> str:
    if reported is None:
        return f"if it is a release of {project.title}, name it, such as --known-as {project.system}:X.Y.Z"
    return f"if it is {project.title} {reported}, use --known-as {project.system}:{reported}"
