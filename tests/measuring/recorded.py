"""Recorded facts of hosts, and facts that are made from single texts."""

import json
from pathlib import Path
from typing import Any

from netmodel.measuring.facts import Fact, Facts
from netmodel.measuring.folder import HostFacts, read_facts

SAMPLES = Path(__file__).parent / "samples"
IP_LINK = Path(__file__).parents[1] / "readers" / "samples" / "ip-link"


def recorded(name: str) -> HostFacts:
    return read_facts(SAMPLES / f"{name}.toml")


def made(**texts: str) -> Facts:
    """Facts with files of these texts; underscores stand for what a name cannot hold."""
    names = {
        "route": "route.json",
        "address": "ip-address.json",
        "ethtool": "ethtool-eth0.txt",
        "driver": "ethtool-i-eth0.txt",
        "sys": "sys-eth0.txt",
        "limits": "limits.txt",
        "lscpu": "lscpu.txt",
        "sysctl": "sysctl.txt",
    }
    return Facts({names[key]: Fact(names[key], key, text) for key, text in texts.items()})


def route(interface: str, destination: str = "10.0.0.2", **more: Any) -> str:
    return json.dumps([{"dst": destination, "dev": interface, "prefsrc": "10.0.0.1", **more}])


def plain_interface(name: str = "eth0", mtu_bytes: int = 1500) -> str:
    item = {"ifindex": 2, "ifname": name, "mtu": mtu_bytes, "link_type": "ether", "promiscuity": 0}
    return json.dumps([item])
