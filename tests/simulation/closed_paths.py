"""
Closed paths in terms of stations and visits, which share nothing with the package but `path`.

A transaction of one frame in each direction visits the stages of the request from the client to
the server, and those of the response back. Stages that draw on one pool are one station.
"""

import math
import random
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from netmodel.path import Path, Pool, Prediction, Stage, Times, Traffic, predict_path

CONNECTION_COUNTS = (1, 10, 50, 250)
"""Those of the published series."""
MTU_BYTES = 1500
KINDS = {
    "single servers": True,
    "several servers": True,
    "unequal visits": False,
    "shared pools": False,
    "unequal visits to several servers": False,
}
"""Kinds of random paths, and whether they have a product form where service is exponential."""
PATHS_OF_A_KIND = 6


class Visit(NamedTuple):
    """One visit of a transaction: its station by number, and the mean time of service there."""

    station: int
    mean_s: float


@dataclass(frozen=True)
class Place:
    """A stage: service time of the request and the response, servers (infinite: a delay), pool."""

    name: str
    to_server_s: float
    to_client_s: float
    server_count: float = 1
    pool: str | None = None


@dataclass(frozen=True)
class ClosedPath:
    """Stages in the order of a request, and the time from a response to the next request."""

    places: tuple[Place, ...]
    think_time_s: float = 0.0
    has_product_form: bool = False
    name: str = ""

    @cached_property
    def stations(self) -> dict[str, float]:
        """Servers of each station, by its name."""
        return {place.pool or place.name: place.server_count for place in self.places}

    @cached_property
    def visits(self) -> tuple[Visit, ...]:
        """Every visit of a transaction in its order."""
        numbers = {name: number for number, name in enumerate(self.stations)}
        forth = [(place, place.to_server_s) for place in self.places]
        back = [(place, place.to_client_s) for place in reversed(self.places)]
        return tuple(
            Visit(numbers[place.pool or place.name], mean_s)
            for place, mean_s in (*forth, *back)
            if mean_s
        )

    @cached_property
    def demands_s(self) -> tuple[float, ...]:
        """Time that each station spends on a transaction. [s]"""
        return tuple(
            math.fsum(visit.mean_s for visit in self.visits if visit.station == number)
            for number in range(len(self.stations))
        )

    @property
    def path(self) -> Path:
        """The same for the package."""
        pools = {place.pool: place.server_count for place in self.places if place.pool}
        stages = tuple(
            Stage(
                name=place.name,
                to_server=Times(per_message_s=place.to_server_s),
                to_client=Times(per_message_s=place.to_client_s),
                parallel_count=(
                    None
                    if place.pool is not None or math.isinf(place.server_count)
                    else int(place.server_count)
                ),
                pool=place.pool,
            )
            for place in self.places
        )
        return Path(
            stages=stages, pools=tuple(Pool(name, int(count)) for name, count in pools.items())
        )

    def predicted(self, connection_count: int) -> Prediction:
        """What the package predicts of it."""
        traffic = Traffic(1, 1, connection_count=connection_count, think_time_s=self.think_time_s)
        return predict_path(self.path, traffic, MTU_BYTES)


def random_path(kind: str, seed: int) -> ClosedPath:
    """A path of 3 to 6 stages with service times of 1 to 30 µs, and of its kind."""
    chance = random.Random(f"{kind} {seed}")

    def micros(low: float = 1, high: float = 30) -> float:
        return round(math.exp(chance.uniform(math.log(low), math.log(high))), 2) * 1e-6

    def times() -> tuple[float, float]:
        """Of the request and of the response, one of which may pass without any."""
        first = micros()
        second = micros() if kind.startswith("unequal") else first
        return chance.choice(((first, second), (first, second), (first, 0.0), (0.0, second)))

    several = "several" in kind
    places = []
    count = chance.randint(3, 6)
    pool_servers = chance.choice((1, 2, 4, 8))
    for number in range(count):
        if number and chance.random() < 0.25:
            delay_s = micros(5, 100)
            places.append(Place(f"delay{number}", delay_s, delay_s, math.inf))
        elif kind == "shared pools" and (number < 2 or chance.random() < 0.4):
            places.append(Place(f"cpu{number}", micros(), micros(), pool_servers, "pool"))
        else:
            servers = chance.choice((2, 3, 4, 8, 16)) if several and chance.random() < 0.7 else 1
            places.append(Place(f"stage{number}", *times(), servers))
    if kind.startswith("unequal"):  # at least one station with two means
        servers = chance.choice((2, 4, 8)) if several else 1
        places.append(Place("adapter", micros(), micros(), servers))
        places = places[-6:]
    think_s = chance.choice((0.0, 0.0, micros(10, 300)))
    return ClosedPath(tuple(places), think_s, KINDS[kind], f"{kind} {seed}")


RANDOM_PATHS = tuple(random_path(kind, seed) for kind in KINDS for seed in range(PATHS_OF_A_KIND))
"""The 30 paths that expected values are held against."""
