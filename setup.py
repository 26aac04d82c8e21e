"""Metadata of the package, all of it read from settings.ini (nbdev 2's one source)."""
from configparser import ConfigParser
from pathlib import Path

from setuptools import find_packages, setup

here = Path(__file__).parent
parser = ConfigParser(delimiters=["="])
parser.read(here / "settings.ini", encoding="utf-8")
cfg = parser["DEFAULT"]
extras = {key.removesuffix("_requirements"): cfg[key].split() for key in cfg if key.endswith("_requirements")}

setup(
    name=cfg["lib_name"],
    version=cfg["version"],
    description=cfg["description"],
    long_description=(here / "README.md").read_text(encoding="utf-8"),
    long_description_content_type="text/markdown",
    author=cfg["author"],
    author_email=cfg["author_email"],
    url=cfg["git_url"],
    keywords=cfg["keywords"].split(),
    license="Apache-2.0",
    license_files=["LICENSE"],
    python_requires=f">={cfg['min_python']}",
    install_requires=cfg["requirements"].split(),
    extras_require=extras,
    packages=find_packages(include=[cfg["lib_path"], f"{cfg['lib_path']}.*"]),
    entry_points={"console_scripts": cfg["console_scripts"].split()},
)
