"""Words that programmers use for one another, as word stems are compared: a prefix with one gives a hint."""

from __future__ import annotations

_GROUPS = """
add append insert push put
argument arg param parameter option kwarg
array list sequence vector
assert check ensure validate verify expect
attribute attr field member property
begin start first initial
boolean bool flag
build create make construct generate new
buffer cache store
callback handler hook listener
char character letter
class type kind category
clear reset empty flush
client customer user
close shutdown stop end finish terminate
collection set group
column col
combine concat join merge
command cmd
config configuration setting preference conf
connection conn link
convert transform cast translate
copy clone duplicate
count number num amount total
current present now
data info information
database db
date day
decode parse deserialize unmarshal read
default fallback
delete remove drop erase discard del
destination target dest dst
dictionary dict map mapping hash
directory dir folder
disable off
document doc
element item entry node
enable on
encode serialize marshal dump
environment env
equal same identical
error exception failure fault err
evaluate eval compute calculate
execute exec run perform invoke call
exist has contain include
extract pull
file document
filter select choose pick
find search lookup locate query
format pattern template
function func method procedure routine
get fetch retrieve obtain load read
height vertical
hidden invisible
id identifier key
image picture img
index idx position offset
input in
integer int
iterate loop
last final end
length len size
level depth
library lib package module
limit bound max maximum
log record trace
lower min minimum
message msg text
model schema
move shift
name label title
null none nil
object obj instance
output out result
parent ancestor super
path route location
previous prev
print show display render
process handle
queue stack
random rand
range interval span
reference ref pointer
replace substitute
repository repo
request req
response resp reply answer
return yield
row line
save write store persist
send transmit emit dispatch
separator delimiter sep
server host
session context
source src origin
split divide
string str text
temporary temp tmp
test spec case
thread worker task job
time timestamp
token word
tree hierarchy
unique distinct
update modify change edit
url uri link address
value val
variable var
version revision
view page
width horizontal
wrap decorate
"""
SYNONYMS: tuple[frozenset[str], ...] = tuple(frozenset(line.split()) for line in _GROUPS.strip().splitlines())
"""Groups of words; a word may be in several."""
