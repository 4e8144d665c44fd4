"""Results as pandas frames."""

from checking.verdicts import by_frames, one_of_each
from result_cases import example

from netmodel.report import results_frame


def test_many_results_make_one_frame_with_units() -> None:
    verdicts = one_of_each()
    frame = results_frame(verdicts)
    assert list(frame.index) == list(range(len(verdicts)))
    assert frame["file"].tolist() == [each.file for each in verdicts]
    assert frame["ratio"].dropna().tolist() == [each.ratio for each in verdicts if each.ratio]
    assert frame.attrs["units"]["goodput_bps"] == "bit/s"
    # no run of them counts frames: no column of them
    assert "ceiling_fps" not in frame


def test_rows_of_different_keys_have_every_column() -> None:
    frame = results_frame([*one_of_each()[:1], by_frames("frames.json")])
    assert frame["frame_rate_fps"].isna().tolist() == [True, False]
    assert frame.attrs["units"]["frame_rate_fps"] == "frame/s"


def test_ranges_have_three_columns() -> None:
    plan = example("Plan")
    frame = results_frame([plan, plan])
    count = plan.adapter_count
    assert frame.loc[0, ["adapter_count_low", "adapter_count_high"]].tolist() == [
        count.low,
        count.high,
    ]
