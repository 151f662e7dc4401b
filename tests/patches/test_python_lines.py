from __future__ import annotations

import black
import pytest
from source_lines import all_lines, lines_by_scope, parse

# Each piece is written as no formatter would leave it. What Black makes of it must have the same lines.
UNFORMATTED = {
    "decorators": """
import functools
@functools.lru_cache( maxsize = None, )
@ property
def cached ( self, ) : return 1
@dataclass ( frozen = True )
class Point ( object ) :
    x : int=0 ; y : int=0
    @ property
    def z ( self ) -> ( int ) : return (self.x)
    @z.setter
    def z(self, value): self.x=value
""",
    "match": """
def classify(value):
    match (value):
        case (0) : return 'zero'
        case [1, 2, *rest,]: return rest
        case (a, b,): return a, b
        case (one,): return one
        case Point(x=0, y=(1 | 2) as y,) if (y > 0): pass
        case {'key': inner, **others}: return inner
        case str() | None:
            return (not value)
        case _ : raise ValueError ( 'no' )
""",
    "interpolation": """
def show(name, width, items):
    a = f'{name!r:>{width}} and {items["key"]}\\n'
    b = F'it\\'s {name}' + f"{name}" f'{width}'
    c = fR'\\d{name}' + Rf"\\w{name}"
    d = f'''{name}
    two lines'''
    return f'{", ".join(items)}', a, b, c, d
""",
    "strings": r"""
a = 'plain' ; b = "it's" ; c = u'old' ; d = U"old" ; e = B'\xFF\xAb' ; f = R'\d' ; g = bR'\d' ; h = '\N{dash}\uABCD'
i = 'say "so"' ; j = 'back\\' ; k = '\'' ; l = "\"" ; m = '\\\'' ; n = '''three 'times' '''
o = ('implicit '
     "joined")
p = '\
continued'
""",  # noqa: E501
    "numbers": """
a = 0XFF + 0O17 + 0B11 + 1E5 + 1E+5 + 1e-5 + 10J + 1. + .5 + 1_000. + 1.E+3 + 0xabcdef + 5
""",
    "assignment expressions": """
def read(stream):
    if (line := stream.readline ()) and (count := len (line)) > 3 : return (line, count)
    while (chunk := stream.read (8)) : yield chunk
    total = (y := 3) + 1
    values = [ (z := item) for item in stream if (w := item) ]
    return f ((x := 4)), values, total
""",
    "lambdas": """
key = lambda x : (x)
pair = lambda x, * args, ** kw : (x, args,)
pick = lambda t: 'a' if one (t) else 'b' if two (t) else None
default = (lambda : None) ()
call (lambda x = 1, / , y = (2), * , z : (x + y) * z)
""",
    "nested definitions": """
def outer ( a ):
    class Inner ( ) :
        def method ( self ) :
            def deep ( ) : return (a)
            return deep
    def helper ( x, y = 2, * rest, ** more ) :
        # nothing here
        return (Inner (), rest)
    return helper
class Empty ( ) : pass
class Base ( Empty , metaclass = Meta, ) : ...
""",
    "coroutines": """
async def fetch ( urls ) :
    async with ( session (  ) ) as s , other ( ) as o :
        async for url in ( s.pages ( ) ) :
            reply = await (s.get (url))
            body = await ( reply.read )
            text = (await (body)) [0]
            power = await (a ** b)
            yield (await reply.json ( ))
    return
""",
    "type hints": """
from typing import ( Dict, )
def typed ( a : 'int', b : Dict [ str , int, ] = { }, * , c : int | None = None, ) -> ( Set ["Very", "Long",] ) :
    x : ( int ) = 1
    y : list [ tuple [ int, ... ] ] = [ ]
    return x, y
type Alias [ T ] = dict [ str, T ]
def generic [ T : ( int, str ) ] ( x : T ) -> T : return x
""",  # noqa: E501
    "long chains": """
def query(session):
    result = session.query(models.Customer.id).filter(models.Customer.account_id==account_id,models.Customer.email == email_address).order_by(models.Customer.created_at.desc()).first()
    return result.with_something(argument_number_one, argument_number_two).and_another_thing(keyword_argument=1234567)[0].attribute
""",  # noqa: E501
    "parenthesised with items": """
with (open ('a') as f, open ('b') as g,) :
    pass
with (open ('a')) as f , (open ('b')) as g : copy (f, g)
with (lock) : work ()
with (lock, other) : work ()
with make_context_manager_number(1) as cm1, make_context_manager_number(2) as cm2, make_context_manager_number(3) as cm3:
    pass
""",  # noqa: E501
    "return, yield, await": """
def give ( x ) :
    got = (yield)
    got = (yield x)
    yield (x, got)
    yield x, got,
    yield from (x)
    print ((yield))
    if not (x) : return ((x))
    if (x and got) : return (x , got)
    if x : return x, got,
    return (not (x in got)), (x if got else None)
""",
    "continuations": """
assert some_condition_number_one and \\
    some_condition_number_two, \\
    'message'
total = first + \\
    second
with open ('a') as f, \\
     open ('b') as g:
    pass
if a and \\
        b:
    pass
from module import first_name, \\
    second_name
""",
    "collections": """
a = [1, 2, 3,]
b = {'x': 1, 'y': (2), }
c = (1,)
d = 1,
e = (1, 2)
f = 1, 2,
g = {*a, * b,}
h = x [1,] , x [1] , x [1, 2,] , x [(1, 2)] , x [1 : 2, :: 3] , x [(p if q else r)]
i = call ((1,)) , call ((1)) , call (1,) , call (* a, ** b,)
j = a + (1,)
k = [ (1, 2), (3, 4,), ((5),), ]
(l, m) = 1, 2
[n, o] = l, m,
for (p, (q, r)) in (a) : print (p)
for s in 1, 2, 3 : pass
for t in (1, 2, 3) : pass
for (u) in (v) : pass
w = [x for (x, y) in z if (x)]
del (a, b) , c
del (d) , (e)
del (f)
x = y = (1, 2)
""",
    "operators": """
a = -x ** 2 ; b = -(x ** 2) ; c = (-x) ** 2 ; d = -(5) ** n ; e = x [a+1 :] ; f = ~ (x ** y)
g = (a or b) and c ; h = a or (b and c) ; i = not (a in b) ; j = (not a) in b ; k = a in (b)
l = a if (b) else (c if d else e) ; m = (a if b else c) if d else e
n = (a).b ; o = (a + b).c ; p = (a + b) [0] ; q = ((a + b)) * c ; r = (((a)))
s = a<b<c ; t = a<>b if False else a!=b ; u = a@b ; v = a//b ; w = a if b else (c or d)
""".replace("a<>b", "a<b"),
    "statements": """
import os, sys
import a . b as c
from . import ( x )
from .. import ( x , y as z , )
from __future__ import ( annotations )
if (a) : pass
elif ( b ) : c ()
else : d ( )
while ( not a ) : break
else : pass
try : a ()
except ( ValueError ) : b ()
except ( KeyError, TypeError ) as error : raise (RuntimeError ( 'x' )) from (error)
finally : c ( )
try : a ()
except * ( ValueError ) : b ()
assert ( a ) , ( 'message' )
assert a, ('long message number one that does not fit on one line with the condition', argument_number_two)
global g ; nonlocal_ = 1
raise ( A )
x = 1 ; y = 2 ;
x += ( 1 )
print ( 'a', end = '', )
""",
    "comments": """
def commented ( a, # the first
                b,
                # the second
                ) : # header
    # body
    '''Docstring.

       Indented.'''
    x = [ # opening
        1, # one
        2 # two
        # closing
    ]
    return ( # why
        x # that
    )
    # trailing
class Documented :

    ''' Docstring. '''
    # nothing else
""",
}


@pytest.mark.parametrize("width", [1, 40, 88, 300])
@pytest.mark.parametrize("name", UNFORMATTED)
def test_what_black_formats_keeps_its_logical_lines(name: str, width: int) -> None:
    source = UNFORMATTED[name].lstrip("\n")
    mode = black.Mode(line_length=width)
    formatted = black.format_str(source, mode=mode)
    assert formatted != source
    assert lines_by_scope(formatted) == lines_by_scope(source)
    without_commas = black.Mode(line_length=width, magic_trailing_comma=False)
    assert lines_by_scope(black.format_str(source, mode=without_commas)) == lines_by_scope(source)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("x = (1,)", "x = (1)"),
        ("x = 1,", "x = 1"),
        ("f((1,))", "f((1))"),
        ("a + (1,)", "a + (1)"),
        ("x[1,]", "x[1]"),
        ("for a, in b: pass", "for a in b: pass"),
        ("(a or b) and c", "a or b and c"),
        ("not (a and b)", "not a and b"),
        ("(a + b)[0]", "a + b[0]"),
        ("(-x) ** 2", "-(x ** 2)"),
        ("(a if b else c) if d else e", "a if b else (c if d else e)"),
        ("f(*a)", "f(a)"),
        ("x = 'a'", "x = b'a'"),
        ("x = r'\\n'", "x = '\\n'"),
        ("x = f'a\\n{y}'", "x = f'b\\n{y}'"),
        ("x = f'{y:>10}'", "x = f'{y:<10}'"),
        ("x = f'{y}'", "x = '{y}'"),
        ("x = '\\\\n'", "x = '\\n'"),
        ("x = 1.0", "x = 10"),
        ("x = 1e5", "x = 1e-5"),
        ("print a,", "print a"),
        ("assert (x, 'no')", "assert x, 'no'"),
        ("raise (A, 'b')", "raise A, 'b'"),
        ("class A(B): pass", "class A(C): pass"),
    ],
)
def test_what_means_something_else_has_other_lines(one: str, other: str) -> None:
    assert all_lines(one) != all_lines(other)


def test_a_logical_line_is_a_simple_statement_or_a_header() -> None:
    source = """
def f(a):
    '''Documented.'''
    if a:  # comment
        x = 1; y = 2
    elif (
        b
    ):
        return [
            1,
        ]
    else:
        pass
    return x
"""
    scope = parse(source).scopes[1]
    assert [(line.text, line.depth, line.start, line.end) for line in scope.lines] == [
        ("def f ( a )", 0, 2, 2),
        ("if a", 0, 4, 4),
        ("x = 1", 1, 5, 5),
        ("y = 2", 1, 5, 5),
        ("elif b", 1, 6, 8),
        ("return [ 1 ]", 2, 9, 11),
        ("return x", 0, 14, 14),
    ]


def test_a_comment_between_a_header_and_its_body_is_no_part_of_the_header() -> None:
    header = parse("def f():\n    # why\n    # and how\n    return 1\n").scopes[1].lines[0]
    assert (header.start, header.end) == (1, 1)


def test_python_2_is_read() -> None:
    source = """
def f(x):
    print "a %s" % x
    print >>stream, x,
    exec "code" in names
    try:
        raise ValueError, "no"
    except (A, B), error:
        print `x`, 0777, 10L, ur'x'
    return x <> 1
"""
    assert [line.text for line in parse(source).scopes[1].lines][:6] == [
        "def f ( x )",
        'print "a %s" % x',
        "print >> stream , x ,",
        'exec "code" in names',
        "try",
        'raise ValueError , "no"',
    ]
    assert "return x <> 1" in all_lines(source)
    assert [scope.name for scope in parse(source + "\ndef g(): pass\n").scopes] == ["", "f", "g"]


def test_one_file_in_several_encodings_has_the_same_lines() -> None:
    text = "# -*- coding: {} -*-\nname = 'Grüße'\ndef f():\n    return 'é' + name\n"
    expected = lines_by_scope(text.format("utf-8"))
    assert "Grüße" in str(expected)
    assert lines_by_scope(text.format("latin-1").encode("latin-1")) == expected
    assert lines_by_scope(text.format("cp1252").encode("cp1252")) == expected
    assert lines_by_scope(text.format("utf-16").encode("latin-1")) == expected  # declared wrongly
    assert lines_by_scope(text.format("no-such-codec").encode("latin-1")) == expected
    assert lines_by_scope("\ufeff" + text.format("utf-8")) == expected
    euro = "# coding: iso-8859-15\nx = '€'\n"
    assert lines_by_scope(euro.encode("iso-8859-15")) == lines_by_scope(euro)


def test_line_ends_do_not_matter() -> None:
    source = "def f():\n    x = '''a\n    b'''\n    y = f'''{x}\n    c'''\n    return x, \\\n        y\n"
    assert lines_by_scope(source.replace("\n", "\r\n")) == lines_by_scope(source)
