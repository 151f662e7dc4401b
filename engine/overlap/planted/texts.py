"""Twenty items of an evaluation set, each with a paraphrase, a translation and a sibling of its form."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Source:
    """One item and the texts that relate to it.

    Attributes:
        item: As it stands in the evaluation set.
        paraphrase: The same question in other words.
        translation: The same question in another language.
        language: That language, as an ISO 639-1 code.
        sibling: Another question in the same form.
    """

    item: str
    paraphrase: str
    translation: str
    language: str
    sibling: str


SOURCES: tuple[Source, ...] = (
    Source(
        "A ferry leaves the harbour every forty minutes, starting at six in the morning. Nadia reaches the "
        "pier at nine minutes past eight. How many minutes must she wait for the next ferry?",
        "Boats depart from port at forty-minute intervals; the first sails at 6 a.m. If Nadia gets to the "
        "dock at 8:09, how long will it be until another one goes?",
        "Un ferry quitte le port toutes les quarante minutes à partir de six heures du matin. Nadia arrive "
        "au quai à huit heures neuf. Combien de minutes doit-elle attendre le prochain ferry ?",
        "fr",
        "A tram leaves the depot every fifteen minutes, starting at five in the morning. Omar reaches the "
        "stop at two minutes past seven. How many minutes must he wait for the next tram?",
    ),
    Source(
        "Which of these processes in a plant cell releases oxygen as a by-product of splitting water?\n"
        "A. cellular respiration\nB. photosynthesis\nC. fermentation\nD. transpiration\nAnswer: B",
        "When water molecules are broken apart inside plant cells and oxygen is given off, what is the name "
        "of the reaction taking place? Choose between respiration, photosynthesis, fermentation and "
        "transpiration. (It is photosynthesis.)",
        "Welcher dieser Vorgänge in einer Pflanzenzelle setzt Sauerstoff als Nebenprodukt der Spaltung von "
        "Wasser frei?\nA. Zellatmung\nB. Photosynthese\nC. Gärung\nD. Transpiration\nAntwort: B",
        "de",
        "Which of these processes in a river valley carries sediment as a result of moving ice?\n"
        "A. glacial transport\nB. evaporation\nC. condensation\nD. infiltration\nAnswer: A",
    ),
    Source(
        "Calling merge_intervals with an empty list raises IndexError instead of returning an empty list. "
        "The function reads intervals[0] before it checks whether there are any intervals at all.",
        "If no ranges are passed, the interval-merging helper crashes with an index error, because it "
        "accesses the first element without making sure one exists; it ought to give back [].",
        "Llamar a la función que fusiona intervalos con una lista vacía lanza un IndexError en lugar de "
        "devolver una lista vacía. La función lee el primer elemento antes de comprobar si hay intervalos.",
        "es",
        "Calling parse_header with an empty string raises KeyError instead of returning an empty mapping. "
        "The function reads fields['name'] before it checks whether there are any fields at all.",
    ),
    Source(
        "def running_mean(values, width):\n    total = sum(values[:width])\n    means = [total / width]\n"
        "    for index in range(width, len(values)):\n        total += values[index] - values[index "
        "- width]\n"
        "        means.append(total / width)\n    return means",
        "def sliding_average(xs, k):\n    s = 0.0\n    out = []\n    for i, x in enumerate(xs):\n   "
        "     s += x\n"
        "        if i >= k:\n            s -= xs[i - k]\n        if i + 1 >= k:\n            "
        "out.append(s / k)\n"
        "    return out",
        "function gleitenderMittelwert(werte, breite) {\n  let summe = 0;\n  const ergebnis = [];\n"
        "  werte.forEach((wert, i) => {\n    summe += wert;\n    if (i >= breite) summe -= werte[i "
        "- breite];\n"
        "    if (i >= breite - 1) ergebnis.push(summe / breite);\n  });\n  return ergebnis;\n}",
        "de",
        "def running_max(values, width):\n    best = max(values[:width])\n    peaks = [best]\n"
        "    for start in range(1, len(values) - width + 1):\n        best = max(values[start:start "
        "+ width])\n"
        "        peaks.append(best)\n    return peaks",
    ),
    Source(
        "The treaty that ended the long border dispute between the two island kingdoms was signed in a "
        "lighthouse, because neither queen was willing to set foot in the other's capital. In which kind of "
        "building was the treaty signed?",
        "Since each monarch refused to visit her rival's main city, the agreement settling the islands' old "
        "quarrel over their frontier was concluded in a tower that guides ships. Where did the signing take "
        "place?",
        "Mkataba uliomaliza mgogoro wa muda mrefu wa mpaka kati ya falme mbili za visiwa ulitiwa saini "
        "kwenye mnara wa taa, kwa sababu hakuna malkia aliyekubali kuingia mji mkuu wa mwenzake. Mkataba "
        "ulitiwa saini katika jengo la aina gani?",
        "sw",
        "The contract that ended the long salary dispute between the two theatre companies was signed in a "
        "bakery, because neither director was willing to set foot in the other's office. In which kind of "
        "shop was the contract signed?",
    ),
    Source(
        "A tank holds 480 litres. A pump empties it at 32 litres a minute while a hose fills it at 12 litres "
        "a minute. After how many minutes is the tank empty?",
        "Water flows into a 480-litre vessel at twelve litres per minute, and out of it at thirty-two. How "
        "long does it take until nothing is left, if it was full at first?",
        "一个水箱装有480升水。水泵每分钟抽出32升，同时水管每分钟注入12升。多少分钟后水箱会空？",
        "zh",
        "A silo holds 900 tonnes. A belt empties it at 45 tonnes an hour while a lift fills it at 15 tonnes "
        "an hour. After how many hours is the silo empty?",
    ),
    Source(
        "Sorting a table by a column that holds missing values puts the missing rows first in ascending and "
        "first in descending order, although the documentation promises that they always come last.",
        "According to the docs, empty cells should end up at the bottom whichever way one sorts; in fact "
        "such rows appear at the top in both directions.",
        "Trier un tableau selon une colonne qui contient des valeurs manquantes place les lignes manquantes "
        "en premier dans l'ordre croissant comme décroissant, alors que la documentation promet qu'elles "
        "viennent toujours à la fin.",
        "fr",
        "Grouping a table by a column that holds repeated labels puts the largest groups first in stable and "
        "first in random order, although the documentation promises that groups always keep their order.",
    ),
    Source(
        "Which planet of our solar system takes longer to turn once about its axis than to travel once "
        "around the Sun?\nA. Mercury\nB. Venus\nC. Mars\nD. Neptune\nAnswer: B",
        "On one of the planets a day lasts more than a year: it rotates so slowly that it completes an orbit "
        "of the Sun before finishing a spin. Name it. The answer is Venus, not Mercury, Mars or Neptune.",
        "¿Qué planeta de nuestro sistema solar tarda más en girar una vez sobre su eje que en dar una vuelta "
        "alrededor del Sol?\nA. Mercurio\nB. Venus\nC. Marte\nD. Neptuno\nRespuesta: B",
        "es",
        "Which moon of the outer solar system keeps a thicker blanket of nitrogen above its surface than the "
        "air of our Earth?\nA. Europa\nB. Titan\nC. Io\nD. Triton\nAnswer: B",
    ),
    Source(
        "A carpenter saws a plank of three metres into pieces of forty centimetres and keeps what is left. "
        "How long is the piece that is left, in centimetres?",
        "From a board 300 cm long, as many 40 cm parts as possible are cut. What is the length of the "
        "offcut?",
        "Ein Schreiner sägt ein drei Meter langes Brett in Stücke von vierzig Zentimetern und behält den "
        "Rest. Wie lang ist das übrige Stück in Zentimetern?",
        "de",
        "A baker cuts a dough of five kilograms into pieces of sixty grams and freezes what is left. How "
        "heavy is the piece that is frozen, in grams?",
    ),
    Source(
        "The cache never expires entries that were written while the clock was moved back by an hour, since "
        "their age is computed from local time and becomes negative until the next day.",
        "After daylight saving ends, items stored in the cache during the repeated hour stay forever: their "
        "age, derived from the wall clock, is below zero for a while.",
        "Kumbukumbu ya muda haifuti kamwe maingizo yaliyoandikwa wakati saa ilirudishwa nyuma kwa saa moja, "
        "kwa sababu umri wao huhesabiwa kwa saa za mahali na huwa hasi hadi siku inayofuata.",
        "sw",
        "The queue never retries messages that were sent while the broker was switched off for an upgrade, "
        "since their count is taken from local state and becomes stale until the next restart.",
    ),
    Source(
        "In the story, the old clockmaker gives the girl a watch without hands and tells her that she will "
        "know what time it is when somebody waits for her. What does the watch stand for?",
        "An aged maker of clocks hands a young girl a timepiece that has no pointers; she will learn the "
        "hour, he says, once there is someone expecting her. Explain the symbol.",
        "Dans le récit, le vieil horloger donne à la fillette une montre sans aiguilles et lui dit qu'elle "
        "saura quelle heure il est quand quelqu'un l'attendra. Que représente la montre ?",
        "fr",
        "In the fable, the young gardener gives the king a seed without shell and tells him that he will "
        "learn what soil it needs when nobody looks at him. What does the seed stand for?",
    ),
    Source(
        "Opening the settings window twice in quick succession starts two threads that both write the same "
        "configuration file, and the later one leaves it truncated.",
        "Double-clicking the preferences entry spawns a pair of concurrent writers; whichever finishes last "
        "cuts the config file short.",
        "快速连续两次打开设置窗口会启动两个线程，它们同时写入同一个配置文件，较晚的那个会使文件被截断。",
        "zh",
        "Closing the export dialog twice in quick succession frees two buffers that both hold the same image "
        "preview, and the later one leaves it corrupted.",
    ),
    Source(
        "A bag has five red, four blue and three green marbles. Two marbles are drawn without putting the "
        "first one back. What is the probability that both of them are blue?",
        "Twelve balls lie in a sack: 5 red ones, 4 blue, 3 green. Someone takes out one and then another. "
        "How likely is it to get two blue balls?",
        "Una bolsa tiene cinco canicas rojas, cuatro azules y tres verdes. Se sacan dos canicas sin devolver "
        "la primera. ¿Cuál es la probabilidad de que ambas sean azules?",
        "es",
        "A box has six gold, two silver and seven copper coins. Two coins are drawn without putting the "
        "first one back. What is the probability that one of them is silver?",
    ),
    Source(
        "Write a query that returns, for every customer who placed an order in March, the name of the "
        "customer and the sum of all orders of that month, largest sum first.",
        "List the people who bought something in March together with their total spending in that month, "
        "from highest to lowest, in SQL.",
        "Schreiben Sie eine Abfrage, die für jeden Kunden mit einer Bestellung im März den Namen des Kunden "
        "und die Summe aller Bestellungen dieses Monats liefert, die größte Summe zuerst.",
        "de",
        "Write a query that returns, for every teacher who gave a course in autumn, the name of the course "
        "and the number of all students of that term, smallest number first.",
    ),
    Source(
        "Why does bread dough that is kneaded with sea water rise more slowly than dough kneaded with water "
        "from a well, if the same amount of yeast is used?",
        "Given equal yeast, what makes a loaf prepared with salty ocean water take longer to swell than one "
        "made with fresh groundwater?",
        "Kwa nini unga wa mkate uliokandwa kwa maji ya bahari huumuka polepole kuliko unga uliokandwa kwa "
        "maji ya kisima, ikiwa kiasi sawa cha hamira kimetumika?",
        "sw",
        "Why does garden soil that is mixed with desert sand dry more quickly than soil mixed with clay from "
        "a pond, if the same amount of rain falls?",
    ),
    Source(
        "The validator accepts a postal code with trailing newline, because its pattern ends in a dollar "
        "sign, which also matches before a final line break. Use the end-of-string anchor instead.",
        "A zip code followed by a line feed passes the check: `$` in the regular expression allows one more "
        "newline. Replace it with an anchor for the very end of input.",
        "Le validateur accepte un code postal suivi d'un saut de ligne, car son motif se termine par un "
        "dollar, qui correspond aussi avant un dernier saut de ligne. Utilisez plutôt l'ancre de fin de "
        "chaîne.",
        "fr",
        "The parser accepts a phone number with leading letters, because its pattern starts in a bare group, "
        "which also matches after a first word break. Use the start-of-string anchor instead.",
    ),
    Source(
        "Three friends share the cost of a boat in the ratio two to three to five. The one who pays most "
        "pays 180 euros more than the one who pays least. What does the boat cost?",
        "A boat is paid for by three people, in proportions 2 : 3 : 5. If the largest contribution exceeds "
        "the smallest by €180, find the price.",
        "三个朋友按二比三比五的比例分摊一条船的费用。付得最多的人比付得最少的人多付180欧元。这条船多少钱？",
        "zh",
        "Four cousins share the work on a fence in the ratio one to two to two to four. The one who paints "
        "most paints 27 boards more than the one who paints least. How many boards has the fence?",
    ),
    Source(
        "class Stack:\n    def __init__(self):\n        self._items = []\n    def push(self, item):\n"
        "        self._items.append(item)\n    def pop(self):\n        if not self._items:\n"
        "            raise LookupError('pop from an empty stack')\n        return self._items.pop()",
        "class Pile:\n    def __init__(self):\n        self.top = None\n    def put(self, value):\n"
        "        self.top = (value, self.top)\n    def take(self):\n        if self.top is None:\n"
        "            raise LookupError('nothing to take')\n        value, self.top = self.top\n"
        "        return value",
        "class Pila {\n  private elementos: unknown[] = [];\n  apilar(x: unknown) { "
        "this.elementos.push(x); }\n"
        "  desapilar() {\n    if (this.elementos.length === 0) throw new Error('la pila está vacía');\n"
        "    return this.elementos.pop();\n  }\n}",
        "es",
        "class Queue:\n    def __init__(self):\n        self._items = deque()\n    def join(self, person):\n"
        "        self._items.append(person)\n    def serve(self):\n        if not self._items:\n"
        "            raise LookupError('nobody waits in the queue')\n        return self._items.popleft()",
    ),
    Source(
        "Which statement about the moons' shadows on the gas giant is correct, if the observer stands on the "
        "night side and the ring plane is seen edge-on?\nA. No shadow can be seen\nB. Exactly one is seen\n"
        "C. All shadows are seen\nAnswer: A",
        "Standing where it is night and looking at the rings from the side, can one see any satellite's "
        "shadow on the large planet? None at all, exactly one, or every one of them? (None at all.)",
        "Welche Aussage über die Schatten der Monde auf dem Gasriesen ist richtig, wenn der Beobachter auf "
        "der Nachtseite steht und die Ringebene von der Kante gesehen wird?\nA. Kein Schatten ist zu sehen\n"
        "B. Genau einer ist zu sehen\nC. Alle Schatten sind zu sehen\nAntwort: A",
        "de",
        "Which statement about the rivers' deltas on the north coast is correct, if the surveyor "
        "works in the "
        "dry season and the tidal range is measured offshore?\nA. No delta can grow\nB. Exactly one grows\n"
        "C. All deltas grow\nAnswer: C",
    ),
    Source(
        "The download resumes from the wrong offset after a redirect, because the range header of the first "
        "request is copied to the second although the server has already sent a part of the file.",
        "Following a redirection, a resumed transfer starts at an incorrect position: the old byte range is "
        "sent again even though some bytes have arrived in the meantime.",
        "Upakuaji huendelea kutoka mahali pasipo sahihi baada ya kuelekezwa upya, kwa sababu kichwa cha "
        "masafa cha ombi la kwanza hunakiliwa kwenye la pili ingawa seva tayari imetuma sehemu ya faili.",
        "sw",
        "The upload restarts from the wrong folder after a logout, because the path variable of the first "
        "session is copied to the second although the client has already closed a copy of the handle.",
    ),
)
