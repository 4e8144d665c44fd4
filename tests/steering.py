"""Receive queues and what steering their packets costs, for several tests."""

from dataclasses import replace

from paths import closed_network

from netmodel.path import Path, Prediction, Stage, Times, Traffic, predict_path
from netmodel.planning import SteeringTimes

__all__ = ["BOTH_QUEUES", "FRAME_TIME_S", "TIMES", "loaded", "network", "one_queue"]

BOTH_QUEUES = ("server_softirq", "client_softirq")
FRAME_TIME_S = 6e-6
TIMES = SteeringTimes(
    poll_time_s=1.5e-6,
    hash_time_s=0.2e-6,
    ipi_time_s=1.2e-6,
    frames_per_ipi=4,
    enqueue_time_s=0.5e-6,
)
"""Of 6 µs, 2 stay with the queue and 5 move, 1 of which steering adds."""


def network(queue_count: int = 1, application_time_s: float = 6e-6) -> Path:
    """The closed network with several queues at each side, and another application."""
    path = closed_network()
    application = Times(per_message_s=application_time_s)
    queues = {"parallel_count": queue_count, "hashes_flows": queue_count > 1}
    times = {"to_server": application, "to_client": application}
    changes = {
        stage.name: queues if stage.name in BOTH_QUEUES else times if stage.pool else {}
        for stage in path.stages
    }
    return replace(
        path, stages=tuple(replace(stage, **changes[stage.name]) for stage in path.stages)
    )


def loaded(path: Path, connection_count: int | None) -> Prediction:
    """Requests of 200 byte, responses of 1000."""
    return predict_path(path, Traffic(200, 1000, connection_count=connection_count), 1500)


def one_queue(delay_s: float = 70e-6, frame_time_s: float = FRAME_TIME_S) -> Path:
    """A queue and a delay."""
    return Path(
        stages=(
            Stage(name="softirq", to_server=Times(per_frame_s=frame_time_s)),
            Stage(name="delay", to_client=Times(per_message_s=delay_s), parallel_count=None),
        )
    )
