"""``orderless acquire``: ask a person for one value after the other, the cheapest way."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..errors import InvalidData
from ..inputs import busy
from ..model import printable
from .costs import Costs, OtherCosts, read_costs
from .mistakes import Mistake, one_line
from .number_options import Tolerance
from .options import FileOptions, Format, ModelOptions, OutputOptions, RowsOptions, finite
from .sink import as_json, write

if TYPE_CHECKING:
    from ..api import Interview
    from ..inputs import CellStyle
    from ..model import Label, TreeKernel

__all__ = ["EXAMPLE", "command"]

EXAMPLE = (
    "Example: orderless acquire model.json --data patients.csv --costs age=1,smoker=5\n\n"
    "Example: orderless acquire model.json --data patients.csv --row age=47"
)
BACK = "back"
ENDED = 3  # the exit code where the answers end before the decision


def command(
    model: ModelOptions,
    data: RowsOptions,
    files: FileOptions,
    output: OutputOptions,
    costs: Costs = None,
    other_costs: OtherCosts = None,
    row: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=VALUE", help="What is known already; once per feature."),
    ] = None,
    tolerance: Tolerance = None,
    budget: Annotated[
        float | None, typer.Option(min=0, callback=finite, help="The most that may be spent.")
    ] = None,
    time_limit: Annotated[
        float, typer.Option(min=0.001, help="Seconds allowed for finding the cheapest way.")
    ] = 10.0,
) -> None:
    """Ask for values one by one, the cheapest way to a decision.

    Each question says what it costs and why it is asked. Answer with the value, with "unknown" or
    "?" if it is unavailable, or with "back" to correct the last answer. Questions go to stderr, the
    decision to standard output. Nothing is asked that cannot change the decision. Without --costs
    every feature costs 1, so that as few as possible are asked.

    Where a budget ends the questions, it is said what the next one would cost. Where the answers
    end before the decision, what is known and what is open is written, and the exit code is 3.
    """
    from ..api import cheapest_policy
    from .decision import check_numbers, refuse_tolerance
    from .files import style_of
    from .models import source_of
    from .rows import row_from

    if output.format in (Format.csv, Format.md):
        raise Mistake(f"an interview is written as text or json, not as {output.format}")
    refuse_tolerance(tolerance, model)
    source = source_of(model, data, files, complete=True)
    check_numbers(tolerance, source)
    if source.X is None:
        raise Mistake(
            "the cheapest way depends on how likely each answer is: add --data FILE with rows that "
            "the tree knows"
        )
    tree = source.tree
    others = 1.0 if costs is None and other_costs is None else other_costs
    each = read_costs(costs, tree, files, others)
    style = style_of(files)
    known = row_from(row or [], tree, style)
    given = [name for name, value in known.items() if value is not None]  # these cost nothing
    with busy("Finding the cheapest way"):
        policy = cheapest_policy(
            tree,
            source.X,
            each,
            known=given,
            budget=budget,
            time_limit=time_limit,
            tolerance=tolerance,
        )
    talk = _ask(policy.interview(known, only_relevant=True), tree, style)
    if output.format == Format.json:
        text = as_json(_record(talk))
    else:
        text = "\n".join(printable(line) for line in talk.summary.splitlines())
    write(text, output.output)
    if not talk.done:
        raise typer.Exit(ENDED)


def _ask(talk: Interview, tree: TreeKernel, style: CellStyle) -> Interview:
    """Go through an interview; what a person got wrong is said and asked again.

    It is not done where the answers end too early.
    """
    before: list[Interview] = []
    shown = None
    while not talk.done:
        if shown is not talk:
            _show(talk, tree)
            shown = talk
        answer = _line(f"{_question(talk, tree)} ")
        if answer is None:
            _say_open(talk, tree)
            return talk
        if answer.strip().lower() == BACK and not _is_value(answer, talk, tree):
            if before:
                talk = before.pop()
            else:
                typer.echo("  This is the first question.", err=True)
            continue
        try:
            value = _value(answer, talk, tree, style)
            then = talk.skip() if value is None else talk.answer(value)
        except (Mistake, InvalidData) as fault:
            typer.echo(f"  {one_line(fault)}", err=True)
            continue
        before.append(talk)
        talk = then
    typer.echo("", err=True)
    return talk


def _possible(labels: tuple[Label, ...], tree: TreeKernel) -> str:
    """Write what is possible: classes, or between which numbers."""
    from ..model import label_text

    if tree.task == "regression" and len(labels) > 1:
        return f"between {labels[0]:.6g} and {labels[-1]:.6g}"
    return " or ".join(label_text(label) for label in labels)


def _show(talk: Interview, tree: TreeKernel) -> None:
    """Say what is asked and why, and what each answer would mean."""
    from ..acquisition import money, percent

    question = talk.question
    lines = [printable(question.reason)]
    for one in question.outcomes:
        says = _possible(one.possible, tree)
        then = says if one.settled else f"{says}, then {money(one.expected_cost)} more on average"
        seen = f" ({percent(one.chance)})" if question.rows else ""
        lines.append(f"  {printable(one.values)}{seen}: {printable(then)}")
    typer.echo("\n" + "\n".join(lines), err=True)


def _question(talk: Interview, tree: TreeKernel) -> str:
    from ..model import label_text

    feature = tree.space[talk.question.features[0]]
    allowed = "a number"
    if feature.kind == "boolean":
        allowed = "yes or no"
    elif feature.kind == "categorical":
        allowed = ", ".join(label_text(label) for label in feature.categories[:12])
        allowed += ", ..." if len(feature.categories) > 12 else ""
    return printable(f"{feature.name} ({allowed}; ? if unknown):")


def _say_open(talk: Interview, tree: TreeKernel) -> None:
    """Say that the answers ended, and what is open."""
    possible = _possible(talk.possible, tree)
    possible += " are possible" if tree.task == "classification" else ""
    typer.echo(
        printable(
            f"The answers ended before the decision: {possible}, and "
            f"{talk.question.feature} is still asked for. Give its value, or ? if it is "
            "unavailable."
        ),
        err=True,
    )


def _line(prompt: str) -> str | None:
    """Read a line, None at the end; what comes out of a pipe is shown, as on a terminal."""
    typer.echo(prompt, err=True, nl=False)
    line = sys.stdin.readline()
    if not line:
        typer.echo("", err=True)
        return None
    if not sys.stdin.isatty():
        typer.echo(printable(line.rstrip("\n")), err=True)
    return line.rstrip("\r\n")


def _is_value(answer: str, talk: Interview, tree: TreeKernel) -> bool:
    feature = tree.space[talk.question.features[0]]
    return answer.strip() in {str(label) for label in feature.categories}


def _value(answer: str, talk: Interview, tree: TreeKernel, style: CellStyle) -> Any:
    """Read an answer, written as in the files; None if it says that the value is unavailable."""
    from ..connect import parser_of
    from ..inputs import unknown

    name = talk.question.features[0]
    if unknown(answer) and not _is_value(answer, talk, tree):
        return None
    parser = parser_of(tree.space, name, style)
    try:
        value = parser.parse(answer)
    except (ValueError, KeyError, TypeError):
        raise Mistake(
            f"{answer!r:.80} is no value of {name}: it must be {parser.allowed}"
        ) from None
    return None if unknown(value) else value


def _next(talk: Interview) -> dict[str, Any] | None:
    """Give the question that is open, where the answers or the budget ended too early."""
    question = talk.beyond if talk.done else talk.question
    if question is None or question.feature is None:
        return None
    return {
        "feature": question.feature,
        "cost": question.cost,
        "expected_cost": question.expected_cost,
    }


def _record(talk: Interview) -> dict[str, Any]:
    return {
        "decision": talk.decision,
        "possible": list(talk.possible),
        **({} if talk.interval is None else {"interval": list(talk.interval)}),
        "known": dict(talk.known),
        "asked": list(talk.asked),
        "unavailable": list(talk.unavailable),
        "spent": talk.spent,
        "budget": talk.policy.budget,
        "stopped": talk.question.stopped if talk.done else "answers",
        "next": _next(talk),
        "explanation": str(talk.explanation),
    }
