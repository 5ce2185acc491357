"""Names of searches and graphs in LaTeX, Markdown and figures: they are shown, never obeyed.

A name is whatever a user typed. Here it becomes text that reads the same and cannot be a command,
a tag, a link, a formula or the end of a table's cell.
"""

import re
import unicodedata

_TEX = {
    "\\": r"\textbackslash{}",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "`": r"\textasciigrave{}",
    '"': r"\char34{}",
    **{letter: f"\\{letter}" for letter in "{}#$%&_"},
    # At the start of a row these would belong to the `\\` that ends the row before.
    "[": "{[}",
    "]": "{]}",
    "*": "{*}",
    "±": r"$\pm$",
    "×": r"$\times$",
    "†": r"$\dagger$",
    "–": r"\textendash{}",
}
_TEX_LETTERS = frozenset(
    "ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÑÒÓÔÕÖØÙÚÛÜÝßàáâãäåæçèéêëìíîïñòóôõöøùúûüýÿ"
    "ĂăĄąĆćČčĎďĘęĚěĞğŁłŃńŇňŐőŒœŔŕŘřŚśŞşŠšŤťŮůŰűŹźŻżŽž"
)
"""Letters beyond ASCII that pdfLaTeX sets without further packages."""
_MARKDOWN = re.compile(r"([\\`*_{}\[\]<>|~&$#!@]|:(?=//))")
"""What Markdown gives a meaning to within a line; tables, formulas and links of GitHub too."""
_LIGATURE = re.compile(r"([-',!?])(?=[-',`])")
"""Pairs that LaTeX would draw as one sign, such as a long dash for two short ones."""
_HIDDEN = ("Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp")
"""Unicode's categories of what is not seen, or changes how other text is seen."""


def tex(text: str) -> str:
    r"""A text for LaTeX.

    Args:
        text: Any text.

    Returns:
        What prints it. Letters that pdfLaTeX does not know are named by their code point.

    Example:
        >>> tex("50%_of$x"), tex("図")
        ('50\\%\\_of\\$x', '{[}U+56F3{]}')
    """
    shown = "".join(
        letter if letter.isascii() or letter in _TEX or letter in _TEX_LETTERS else _code(letter)
        for letter in _visible(unicodedata.normalize("NFC", text))
    )
    escaped = "".join(_TEX.get(letter, letter) for letter in shown)
    return _LIGATURE.sub(r"\1{}", escaped)


def markdown(text: str) -> str:
    r"""A text for Markdown, within a line or a table's cell.

    Args:
        text: Any text.

    Returns:
        What shows it.

    Example:
        >>> markdown("a|b <script>"), markdown("cornell-legacy")
        ('a\\|b \\<script\\>', 'cornell-legacy')
    """
    return _MARKDOWN.sub(r"\\\1", _visible(text))


def drawn(text: str) -> str:
    r"""A text for a figure: dollar signs begin no formula.

    Args:
        text: Any text.

    Returns:
        What matplotlib draws as it is. Letters that its font lacks are named by their code point.

    Example:
        >>> print(drawn("a$b"))
        a\$b
    """
    shown = "".join(
        letter if letter.isascii() or _in_font(letter) else _code(letter)
        for letter in _visible(text)
    )
    return shown.replace("$", r"\$")


def _in_font(letter: str) -> bool:
    """Whether matplotlib's own font has the letter."""
    from matplotlib.font_manager import fontManager, get_font

    return bool(get_font(fontManager.findfont("DejaVu Sans")).get_char_index(ord(letter)))


def _visible(text: str) -> str:
    """The text with a code point in the place of what would not be seen."""
    return "".join(_code(x) if unicodedata.category(x) in _HIDDEN else x for x in text)


def _code(letter: str) -> str:
    return f"[U+{ord(letter):04X}]"
