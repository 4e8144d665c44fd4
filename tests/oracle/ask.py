"""
Asks one version of netmodel all questions, in one process, and writes its answers.

    python ask.py QUESTIONS ANSWERS DIRECTORY

A question is a command with its arguments by name; `command_line` writes it for the version that
is asked. Relative files lie below the directory. An answer has the exit code, the JSON that was
printed, and, of a refused question, the options that the error names.
"""

import json
import os
import random
import re
import sys
import tomllib
import warnings
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

Question = dict[str, Any]
Answer = dict[str, Any]

HERE = Path(__file__).parent
RENAMED: Mapping[str, str] = tomllib.loads((HERE / "changes.toml").read_text())["renamed"]
"""Options by the names that questions use, with their names of today."""
OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]*")


def command_line(question: Question, renamed: Mapping[str, str]) -> list[str]:
    """Return the words of a question; a list is an option given several times, True a flag."""
    words = question["command"].split()
    given = []
    for name, value in question["arguments"].items():
        if name == "":
            given += list(value)
            continue
        option = renamed.get(f"{question['command']} {name}", renamed.get(name, name))
        for each in value if isinstance(value, list) else [value]:
            words += [f"--{option}"] if each is True else [f"--{option}", str(each)]
    return [*words, "--json", *(["--", *given] if given else [])]


def damaged(raw: bytes, seed: int) -> bytes:
    """Return a file after one to three changes of its lines or numbers."""
    draw = random.Random(seed)
    lines = raw.split(b"\n")
    for _ in range(draw.randint(1, 3)):
        number = draw.randrange(len(lines))
        match draw.choice(("drop", "double", "cut", "figure", "figure", "swap")):
            case "drop":
                del lines[number]
            case "double":
                lines.insert(number, lines[number])
            case "cut":
                lines[number] = lines[number][: draw.randint(0, len(lines[number]))]
            case "swap":
                other = draw.randrange(len(lines))
                lines[number], lines[other] = lines[other], lines[number]
            case "figure":
                figures = list(re.finditer(rb"[0-9]+", lines[number]))
                if figures:
                    place = draw.choice(figures)
                    put = draw.choice((b"0", b"1", b"-1", b"9" * 18, b"", b"1e9"))
                    line = lines[number]
                    lines[number] = line[: place.start()] + put + line[place.end() :]
        if not lines:
            break
    return b"\n".join(lines)


def asked(question: Question, renamed: Mapping[str, str]) -> Answer:
    """Return the answer to one question."""
    from click.testing import CliRunner

    from netmodel.cli import main

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        done = CliRunner().invoke(main, command_line(question, renamed), prog_name="netmodel")
    answer: Answer = {"id": question["id"], "exit_code": done.exit_code}
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        answer["crash"] = repr(done.exception)
    try:
        answer["json"] = json.loads(done.stdout)
    except ValueError:
        answer["json"] = None
    if done.exit_code == 2:
        error = done.stderr.partition("Error:")[2]
        answer["blamed"] = sorted(set(OPTION.findall(error)))
    return answer


def answers(
    questions: list[Question], directory: Path, renamed: Mapping[str, str]
) -> Iterator[Answer]:
    """Ask all questions from a directory, in which damaged files are written."""
    os.chdir(directory)
    for question in questions:
        if "damaged" in question:
            source, seed = question["damaged"]
            place = Path(f"damaged{Path(source).suffix}")
            place.write_bytes(damaged(Path(source).read_bytes(), seed))
            arguments = question["arguments"] | {"": [str(place)]}
            yield asked(question | {"arguments": arguments}, renamed)
        else:
            yield asked(question, renamed)


def main(questions: str, target: str, directory: str) -> None:
    """Write the answers to all questions of a file."""
    rows = [json.loads(row) for row in Path(questions).read_text().splitlines()]
    is_base = os.environ.get("ORACLE_BASE") == "1"
    with Path(target).open("w") as file:
        for answer in answers(rows, Path(directory), {} if is_base else RENAMED):
            file.write(json.dumps(answer) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
