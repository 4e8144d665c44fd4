"""``netmodel rps``."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import click

from netmodel.api._arguments import ArgumentsError, ExchangeArguments
from netmodel.api._questions import PredictQuestion
from netmodel.cli._console import notes_text, print_blocks, print_json, wrapped
from netmodel.cli._options import (
    COUNT,
    TIME,
    QuestionCommand,
    SharedOption,
    connections_option,
    cpu_count_option,
    json_option,
    mtu_options,
    option,
    option_group,
    path_options,
    stack_options,
    verbose_option,
    workload_option,
)
from netmodel.errors import DomainError
from netmodel.tuning import (
    cpus_out_of_range,
    decode_rps_mask,
    encode_rps_mask,
    format_cpu_list,
    parse_cpu_list,
)

if TYPE_CHECKING:
    from netmodel.path import Path
    from netmodel.planning import SteeringTimes
    from netmodel.planning._steering_curve import SteeringCurve


@click.group()
def rps() -> None:
    """Advise on packet steering; encode and decode CPU masks.

    Receive packet steering (RPS) spreads the packets of a receive queue over CPUs. A mask, as in
    rps_cpus of a queue, is hexadecimal, CPU 0 the lowest bit, with a comma between groups of 32
    bits.
    """


class _CpuList(click.ParamType[tuple[int, ...]]):
    """CPUs as ``0,1,3,6`` or ``0-7``."""

    name = "list"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[int, ...]:
        if isinstance(value, tuple):
            return value
        try:
            return parse_cpu_list(str(value))
        except DomainError as error:
            self.fail(str(error), param, ctx)


_cpus_option = SharedOption(("--cpus",), "CPUs, such as 0,1,3,6 or 0-7.", type=_CpuList())(
    required=True
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Steering:
    """What steering may use, and what it costs."""

    cpus: tuple[int, ...]
    queue_stages: tuple[str, ...]
    poll_time_s: float | None
    hash_time_s: float | None
    ipi_time_s: float | None
    frames_per_ipi: int | None
    enqueue_time_s: float | None

    def times(self) -> "SteeringTimes":
        """The times that were given."""
        from netmodel.planning import SteeringTimes

        return SteeringTimes(
            poll_time_s=self.poll_time_s,
            hash_time_s=self.hash_time_s,
            ipi_time_s=self.ipi_time_s,
            frames_per_ipi=self.frames_per_ipi,
            enqueue_time_s=self.enqueue_time_s,
        )

    def stages(self, path: "Path") -> tuple[str, ...]:
        """The receive queues: those that were named, else all of the path."""
        hashing = tuple(stage.name for stage in path.stages if stage.hashes_flows)
        queues = self.queue_stages or hashing
        if not queues:
            raise click.UsageError(
                "no stage of this path is a receive queue: name one with --queue-stage, or give a "
                "path with stages of the kind receive-queue-cpu"
            )
        return queues


@dataclass(frozen=True, slots=True, kw_only=True)
class _Output:
    """What is printed."""

    verbose: bool
    as_json: bool


@rps.command(cls=QuestionCommand)
@option_group(
    "question",
    PredictQuestion,
    path_options(line_rate="that of the slower adapter"),
    mtu_options,
    option_group(
        "exchange",
        ExchangeArguments,
        workload_option(required=True),
        connections_option(unset="those of the workload"),
    ),
    stack_options(),
)
@option_group(
    "steering",
    _Steering,
    _cpus_option,
    option(
        "--queue-stage",
        "queue_stages",
        multiple=True,
        metavar="NAME",
        show_default="all of the path",
        help="Stage that is the CPU of a receive queue; repeat it for more.",
    ),
    option(
        "--poll-time",
        "poll_time_s",
        type=TIME,
        help="CPU time of a frame that stays with the CPU of its queue, such as 1.5us.",
    ),
    option("--hash-time", "hash_time_s", type=TIME, help="CPU time to choose a CPU for a frame."),
    option("--ipi-time", "ipi_time_s", type=TIME, help="CPU time of an interrupt to another CPU."),
    option("--frames-per-ipi", type=COUNT, help="Frames that one such interrupt announces."),
    option(
        "--enqueue-time",
        "enqueue_time_s",
        type=TIME,
        help="CPU time to pass a frame through the backlog of the other CPU.",
    ),
)
@option_group("output", _Output, verbose_option, json_option)
def advise(question: PredictQuestion, steering: _Steering, output: _Output) -> None:
    """Advise whether steering raises the rate of a path.

    Give --workload, --cpus, and --sender with --receiver, or --path. The CPUs are those that handle
    packets, with steering or without, the same on each side. A time that is left out counts as
    nothing: "not recommended" then holds in any case, and else the advice says what to measure.

    Between two of an adapter with published runs with and without steering, the answer is what
    those runs say of transaction time and CPU cost, for each of several --connections.
    """
    from netmodel.path import Prediction
    from netmodel.planning import advise_steering

    given, own = question.exchange.connections, question.workload.connection_counts
    counts = given if isinstance(given, tuple) else own
    curve = _over_connections(question, steering, counts)
    if curve is not None:
        if output.as_json:
            print_json({"mask": encode_rps_mask(steering.cpus), **curve.to_dict()})
            return
        notes = notes_text(curve.notes, output.verbose)
        print_blocks([wrapped(curve.answer), curve.table, notes])
        return
    if len(counts) > 1:
        listed = "" if given else f": {question.workload.id} has {', '.join(map(str, own))}"
        raise ArgumentsError(f"give one number of {{connections}}{listed}")
    # statements are of paths without steering
    path_alone = replace(question, without_statements=True)
    prediction = path_alone.predicted(next(iter(counts), None))
    if not isinstance(prediction, Prediction):
        raise click.UsageError(
            "CPU times of this path are known up to a factor only, so no rate can be advised on"
        )
    stages = steering.stages(question.composed)
    advice = advise_steering(prediction, stages, steering.cpus, steering.times())
    if output.as_json:
        print_json(advice.to_dict())
        return
    notes = notes_text(advice.notes, output.verbose)
    print_blocks([f"{wrapped(advice.text)}\n{notes}".rstrip()])


def _over_connections(
    question: PredictQuestion, steering: _Steering, counts: tuple[int, ...]
) -> "SteeringCurve | None":
    """What runs with and without steering say; None for a path that has queues of its own."""
    from netmodel.errors import UnknownRecordError
    from netmodel.planning import steering_over_connections

    ends = {question.path.sender, question.path.receiver}
    adapter = ends.pop()
    has_queues = bool(steering.queue_stages) or any(
        stage.hashes_flows for stage in question.composed.stages
    )
    if ends or not isinstance(adapter, str) or question.path.path is not None or has_queues:
        return None
    try:
        return steering_over_connections(
            adapter, question.workload.id, counts, steered_count=len(steering.cpus)
        )
    except UnknownRecordError:
        return None


@rps.command()
@_cpus_option
@cpu_count_option
@json_option
def encode(cpus: tuple[int, ...], cpu_count: int | None, as_json: bool) -> None:
    """Print the mask that steers packets to some CPUs.

    With --cpu-count, CPUs that the system does not have are refused.
    """
    if cpu_count is not None and (outside := cpus_out_of_range(cpus, cpu_count)):
        raise click.UsageError(_complaint(outside, cpu_count))
    mask = encode_rps_mask(cpus)
    if as_json:
        print_json({"mask": mask, "cpus": list(cpus), "cpu_count": cpu_count})
    else:
        click.echo(mask)


@rps.command()
@click.argument("mask")
@cpu_count_option
@json_option
def decode(mask: str, cpu_count: int | None, as_json: bool) -> None:
    """Print the CPUs of a mask.

    With --cpu-count, it also says which of them the system does not have.
    """
    cpus = decode_rps_mask(mask)
    outside = () if cpu_count is None else cpus_out_of_range(cpus, cpu_count)
    if as_json:
        print_json(
            {
                "mask": encode_rps_mask(cpus),
                "cpus": list(cpus),
                "cpu_list": format_cpu_list(cpus),
                "cpu_count": cpu_count,
                "out_of_range_cpus": None if cpu_count is None else list(outside),
            }
        )
        return
    if not cpus:
        click.echo("no CPU: steering is off")
        return
    counted = "1 CPU" if len(cpus) == 1 else f"{len(cpus)} CPUs"
    click.echo(f"{format_cpu_list(cpus)}  ({counted})")
    if outside and cpu_count is not None:
        click.echo(f"note: {_complaint(outside, cpu_count)}")


def _complaint(outside: tuple[int, ...], cpu_count: int) -> str:
    noun = "CPU" if len(outside) == 1 else "CPUs"
    last = f"0 to {cpu_count - 1}" if cpu_count > 1 else "only CPU 0"
    return (
        f"{noun} {format_cpu_list(outside)} out of range: the system has {last}, and the kernel "
        "keeps other bits at 0"
    )
