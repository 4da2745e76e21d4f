#!/usr/bin/env python3
"""Makes a language model of three words in the ARPA form from a file of sentences with slots.

usage: language_model.py SENTENCES DICTIONARY OUTPUT [--count N] [--seed N] [--corpus FILE]

The sentences of the corpus are drawn by chance, the same ones for the same seed. Ends with 1 when a word is not in the
dictionary: PocketSphinx would leave it out of the model without a word. The probabilities are those of Kneser and Ney,
interpolated, with one discount for each order (Chen and Goodman, "An Empirical Study of Smoothing Techniques for Language
Modeling", 1998, section 3); written with weights for backing off, which gives the same probabilities.
"""
import argparse
import collections
import math
import random
import re
import sys

ORDER = 3
BEGIN, END = "<s>", "</s>"
# Half of the entries begin with the name of their category, as carers are asked to.
NAMED = 0.5


class Sentences:
    """The groups and slots of a file."""

    def __init__(self, path):
        self.slots = collections.defaultdict(list)
        self.groups = []
        with open(path, encoding="utf-8") as lines:
            for number, line in enumerate(lines, 1):
                line = line.strip()
                if not line or line.startswith("#"):
                    continue
                if slot := re.fullmatch(r"(\w+): (.+)", line):
                    self.slots[slot[1]] += slot[2].split(" | ")
                elif line.startswith("= "):
                    self.groups.append((line[2:].split(", "), []))
                elif self.groups:
                    self.groups[-1][1].append(line)
                else:
                    sys.exit(f"{path}:{number}: a sentence before the first group")
        self.texts = [text for _, group in self.groups for text in group]
        for text in [*self.texts, *(value for values in self.slots.values() for value in values)]:
            for slot in re.findall(r"\{(\w+)\}", text):
                if slot not in self.slots:
                    sys.exit(f"{path}: there is no slot '{slot}'")

    def words(self):
        """All words that can be said."""
        texts = [*self.texts, *(value for values in self.slots.values() for value in values)]
        texts += [name for names, _ in self.groups for name in names]
        return {word for text in texts for word in re.sub(r"\{\w+\}", " ", text).split() if word != "-"}

    def draw(self, chance):
        """One sentence as a list of words."""
        names, texts = chance.choices(self.groups, [len(texts) for _, texts in self.groups])[0]
        text = chance.choice(texts)
        while "{" in text:
            text = re.sub(r"\{(\w+)\}", lambda slot: chance.choice(self.slots[slot[1]]), text)
        name = chance.choice(names) if chance.random() < NAMED else ""
        return [word for word in f"{name} {text}".split() if word != "-"]


def read_dictionary(path):
    """The words that have a pronunciation."""
    with open(path, encoding="utf-8") as lines:
        return {re.sub(r"\(\d+\)$", "", line.split(maxsplit=1)[0]) for line in lines if line.strip()}


class KneserNey:
    """Probabilities of words after up to two others, interpolated down to the single word."""

    def __init__(self, corpus):
        counts = [collections.Counter() for _ in range(ORDER + 1)]
        for words in corpus:
            line = [BEGIN, *words, END]
            for order in range(1, ORDER + 1):
                for start in range(len(line) - order + 1):
                    counts[order][tuple(line[start:start + order])] += 1
        # Below the highest order, a sequence counts as often as there are words before it; at the beginning of a sentence
        # nothing is before it, and it counts as it was seen.
        for order in range(1, ORDER):
            before = collections.Counter(longer[1:] for longer in counts[order + 1])
            for sequence in counts[order]:
                if sequence[0] != BEGIN:
                    counts[order][sequence] = before[sequence]
        counts[1].pop((BEGIN,))
        self.counts = counts
        self.discounts = [0.0] * (ORDER + 1)
        self.totals = collections.Counter()
        self.followers = collections.Counter()
        for order in range(1, ORDER + 1):
            tally = collections.Counter(counts[order].values())
            self.discounts[order] = tally[1] / (tally[1] + 2 * tally[2]) if tally[1] else 0.5
            for sequence, count in counts[order].items():
                self.totals[sequence[:-1]] += count
                self.followers[sequence[:-1]] += 1

    def weight(self, history):
        """What is left for words that were not seen after `history`."""
        if history not in self.totals:
            return 1.0
        return self.discounts[len(history) + 1] * self.followers[history] / self.totals[history]

    def probability(self, sequence):
        """Of the last word after those before it."""
        order, history = len(sequence), sequence[:-1]
        lower = 1 / len(self.counts[1]) if order == 1 else self.probability(sequence[1:])
        if history not in self.totals:
            return lower
        seen = max(self.counts[order][sequence] - self.discounts[order], 0) / self.totals[history]
        return seen + self.weight(history) * lower

    def write(self, path):
        """Writes the ARPA form, which is sorted so that the same corpus gives the same bytes."""
        with open(path, "w", encoding="utf-8") as out:
            orders = {order: sorted(self.counts[order]) for order in range(1, ORDER + 1)}
            orders[1] = sorted([*orders[1], (BEGIN,)])
            print("\\data\\", *(f"ngram {order}={len(orders[order])}" for order in orders), sep="\n", file=out)
            for order, sequences in orders.items():
                print(f"\n\\{order}-grams:", file=out)
                for sequence in sequences:
                    # No word is followed by the beginning of a sentence.
                    log = -99.0 if sequence == (BEGIN,) else math.log10(self.probability(sequence))
                    backing = f"\t{math.log10(self.weight(sequence)):.4f}" if order < ORDER else ""
                    print(f"{log:.4f}\t{' '.join(sequence)}{backing}", file=out)
            print("\n\\end\\", file=out)


def main():
    parser = argparse.ArgumentParser(description="Makes a language model from sentences with slots.")
    parser.add_argument("sentences")
    parser.add_argument("dictionary")
    parser.add_argument("output")
    parser.add_argument("--count", type=int, default=20000, help="sentences to draw (20000)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--corpus", help="where to write the sentences that were drawn")
    options = parser.parse_args()
    sentences = Sentences(options.sentences)
    unknown = sorted(sentences.words() - read_dictionary(options.dictionary))
    if unknown:
        sys.exit(f"language_model.py: {options.dictionary} lacks: {' '.join(unknown)}. Say it in other words.")
    chance = random.Random(options.seed)
    corpus = [sentences.draw(chance) for _ in range(options.count)]
    if options.corpus:
        with open(options.corpus, "w", encoding="utf-8") as out:
            out.writelines(" ".join(words) + "\n" for words in corpus)
    KneserNey(corpus).write(options.output)


if __name__ == "__main__":
    main()
