"""How an instance is made: an expression with the attributes of a module in scope.

It means what it means to a cell's target: a call with constant arguments has its callee and its
arguments evaluated once and is called again and again, any other call is evaluated each time.
"""
from __future__ import annotations

import _ast as ast

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable, Dict, List, Mapping, Optional, Union

    Key = Union[int, str]  # of an argument: its position or its keyword
    Scope = Dict[str, Any]

NOTHING: Mapping[Key, Any] = {}


def is_constant(node: ast.expr) -> bool:
    if isinstance(node, ast.UnaryOp):
        return is_constant(node.operand)
    if isinstance(node, ast.Tuple):
        return all(map(is_constant, node.elts))
    return isinstance(node, ast.Constant)


def evaluation(node: ast.expr, scope: Scope) -> Callable[[], Any]:
    code = compile(ast.Expression(node), "<target>", "eval")
    return lambda: eval(code, scope)


def once(value: Any) -> Callable[[], Any]:
    return lambda: value


class Recipe:
    """A call: its parts, each of which can be replaced."""

    def __init__(self, source: str, scope: Scope) -> None:
        """Raises what evaluating the parts that are evaluated once raises."""
        call = compile(source, "<target>", "eval", ast.PyCF_ONLY_AST)
        assert isinstance(call, ast.Expression) and isinstance(call.body, ast.Call)
        self.source = source
        self.scope = scope
        self.arguments: Dict[Key, Callable[[], Any]] = {}
        self.callee: Optional[Callable[[], Any]] = None  # None: parts cannot be told apart
        nodes: Dict[Key, ast.expr] = dict(enumerate(call.body.args))
        for keyword in call.body.keywords:
            if keyword.arg is not None:
                nodes[keyword.arg] = keyword.value
        given = len(call.body.args) + len(call.body.keywords)
        if len(nodes) < given or any(isinstance(node, ast.Starred) for node in nodes.values()):
            self.whole = evaluation(call.body, scope)
            return
        constant = all(map(is_constant, nodes.values()))
        for key, node in nodes.items():
            value = evaluation(node, scope)
            self.arguments[key] = once(value()) if constant else value
        callee = evaluation(call.body.func, scope)
        self.callee = once(callee()) if constant else callee

    def make(self, replaced: Mapping[Key, Any] = NOTHING, callee: Any = None) -> Any:
        """An instance; arguments in `replaced` take the place of the recipe's or are added."""
        if self.callee is None:
            return self.whole()
        function = self.callee() if callee is None else callee
        if not replaced and not self.arguments:
            return function()
        given = {key: replaced[key] if key in replaced else value()
                 for key, value in self.arguments.items()}
        given.update(replaced)
        positions = sorted(key for key in given if isinstance(key, int))
        return function(*[given[key] for key in positions],
                        **{key: value for key, value in given.items() if isinstance(key, str)})

    def positional(self) -> int:
        return sum(isinstance(key, int) for key in self.arguments)


def is_call(source: str) -> bool:
    """Is that expression a call? Raises SyntaxError."""
    tree = compile(source, "<target>", "eval", ast.PyCF_ONLY_AST)
    return isinstance(tree, ast.Expression) and isinstance(tree.body, ast.Call)


def call_of(source: str, arguments: List[str]) -> str:
    """The source of a call of `source`."""
    tree = compile(source, "<target>", "eval", ast.PyCF_ONLY_AST)
    assert isinstance(tree, ast.Expression)
    plain = isinstance(tree.body, (ast.Name, ast.Attribute))
    return "%s(%s)" % (source if plain else "(%s)" % source, ", ".join(arguments))
