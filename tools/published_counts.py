"""The operation counts that were published, table by table, as data. M: multiplications, A: additions, for n revolute
joints; plain numbers are for n = 6.
"""

from __future__ import annotations

from typing import NamedTuple


class Claim(NamedTuple):
    """One line of a table that compares algorithms."""

    algorithm: str
    M: str
    A: str
    ours: str = ""  # which of our formulations is that algorithm; empty: none
    beside: str = ""  # the paper leaves out what it shares with this job


class Table(NamedTuple):
    title: str
    claims: list[Claim]
    notes: list[str]  # a sentence each


class Breakdown(NamedTuple):
    """A table that splits an algorithm up by equations."""

    title: str
    rows: list[tuple[str, ...]]  # equation, M, A, and where they are printed M, A for twists of 0° and 90°
    total: tuple[str, ...]  # as printed
    ours: str  # as in a Claim
    notes: list[str]
    why: dict[str, str] = {}  # why our count of an equation is another: for every one that differs


# By job.
TABLES: dict[str, list[Table]] = {
    "inverse": [
        Table("Saha 1999, Table 1", [
            Claim("Hollerbach 1980", "412n - 277", "320n - 201", "hollerbach-3x3"),
            Claim("Luh et al. 1980", "150n - 48", "131n + 48", "luh-walker-paul"),
            Claim("Walker and Orin 1982", "137n - 22", "101n - 11", "luh-walker-paul"),
            Claim("Saha 1999 (RIDIM)", "120n - 44", "97n - 55", "denoc"),
            Claim("Khalil et al. 1986", "105n - 92", "94n - 86"),
            Claim("Angeles et al. 1989", "105n - 109", "90n - 105"),
            Claim("Balafoutis et al. 1988", "93n - 69", "81n - 65", "tensor-augmented"),
        ], [
            "In print, the additions of Luh et al. are 131n + 48, 834 at n = 6; Balafoutis has 131n - 48 (738) both "
            "in his text and in his table.",
            "The additions of Balafoutis et al. are printed as 81n - 65; the rows of his own Table 5.1 add up to "
            "81n - 66.",
        ]),
        Table("Balafoutis 1989, Table 5.3", [
            Claim("Hollerbach, 4x4", "830n - 592", "675n - 464", "hollerbach-4x4"),
            Claim("Hollerbach, 3x3", "412n - 277", "320n - 201", "hollerbach-3x3"),
            Claim("Vukobratovic et al.", "3n³/2 + 35n²/2 + 9n - 16", "7n³/6 + 23n²/2 + 64n/3 - 28", "christoffel"),
            Claim("Luh et al.", "150n - 48", "131n - 48", "luh-walker-paul"),
            Claim("Craig", "126n - 99", "106n - 92", "luh-walker-paul"),
            Claim("Khosla and Neuman", "123n - 60", "96n - 55", "luh-walker-paul"),
            Claim("Li", "120n - 104", "98n - 94", "luh-walker-paul"),
            Claim("Ma, n ≥ 2", "109n - 109", "95n - 108", "kane"),
            Claim("Khalil et al.", "105n - 92", "94n - 86", "tensor-augmented"),
            Claim("Algorithm 5.4", "96n - 77", "84n - 70", "tensor"),
            Claim("Algorithm 5.5", "93n - 69", "81n - 66", "tensor-augmented"),
            Claim("Algorithm 5.5, semi-customized, n ≥ 2", "93n - 108", "81n - 100", "tensor-augmented"),
        ], [
            "Vukobratovic et al.: 776 additions are printed for n = 6; the printed formula gives 766.",
            "The running text gives the 3x3 version 675n - 201 additions; its table, and Hollerbach, 320n - 201.",
            "Vukobratovic et al., Khosla and Neuman, Li, and Khalil et al. are quoted without equations. Beside "
            "each stands the nearest form that the thesis writes down: the closed form with Christoffel symbols, "
            "Newton and Euler in link frames, and, for the one that regroups inertial parameters, the augmented "
            "links.",
        ]),
        Table("Balafoutis 1989, section 5.2.1, n = 6", [
            Claim("Uicker and Kahn, equation 5.2.2", "66271", "51548", "uicker-kahn"),
            Claim("Waters, equation 5.2.3", "7051", "5652", "waters"),
        ], [
            "Both figures are Hollerbach's, as the thesis quotes them.",
        ]),
    ],
    "inertia": [
        Table("Balafoutis 1989, Table 6.2", [
            Claim("Walker and Orin, composite rigid bodies", "12n² + 56n - 27", "7n² + 67n - 56", "walker-orin"),
            Claim("Angeles and Ma, natural orthogonal complement", "n³ + 17n² - 15n + 8", "n³ + 14n² - 16n + 5", "noc"),
            Claim("Featherstone, composite rigid bodies, spatial", "10n² + 31n - 41", "6n² + 40n - 46",
                  "spatial-composite"),
            Claim("Algorithm 6.2", "11n² + 11n - 42", "11n²/2 + 65n/2 - 54", "generalized-links"),
        ], [
            "Walker and Orin: 601 additions are printed for n = 6, the printed formula gives 598; with -53 for -56 "
            "the two agree. The running text has 12n² + 26n + 27 multiplications, 615 at n = 6, which fits neither.",
            "Algorithm 6.2: see Table 6.1.",
        ]),
        Table("Lin 1991, Table I, n ≥ 2", [
            Claim("Walker and Orin, reformulated", "11n² + 53n - 74", "8n² + 52n - 62", "walker-orin"),
            Claim("Renaud", "27n²/2 + 45n/2 - 68", "9n² + 26n - 64", "renaud"),
            Claim("Lin 1988", "7n³/6 + 33n²/2 - 107n/3 + 19", "n³ + 27n²/2 - 57n/2 + 14"),
            Claim("Fijany and Bejczy", "9n²/2 + 231n/2 - 175", "4n² + 88n - 134", "fijany-bejczy"),
            Claim("Lin 1991", "21n²/2 + 77n/2 - 85", "6n² + 39n - 70", "base-origin"),
        ], [
            "All entries printed for n = 2 to 8 follow from the formulas.",
            "Walker and Orin: another count than Balafoutis' for the same algorithm; Lin's is of a reformulation "
            "with modified Denavit-Hartenberg frames.",
            "Renaud: the lines of the printed program add up to the claim.",
            "Lin 1991: the legible lines of the printed program add up to 2n + 6 M and 7 A more than claimed.",
        ]),
    ],
    "bias": [
        Table("Lin 1991, Table II, n ≥ 2", [
            Claim("Khalil and Kleinfinger", "101n - 129", "90n - 118"),
            Claim("Balafoutis et al.", "93n - 69", "81n - 66", "tensor-augmented"),
            Claim("Lin 1991, beside his inertia matrix", "25n²/2 + 11n/2 + 3", "9n² + n", "base-origin", "inertia"),
        ], [
            "All entries printed for n = 2 to 8 follow from the formulas.",
            "Inertia matrix and bias together are claimed at 23n² + 44n - 82 M and 15n² + 40n - 70 A, the sum of "
            "Tables I and II; ours, likewise, take the sum of the two rows `base-origin`.",
        ]),
    ],
    "forward": [
        Table("Saha 1999, Table 2", [
            Claim("Saha 1999 (RFDSIM), the bias not counted", "201n - 335", "193n - 361", "denoc", "bias"),
            Claim("Featherstone 1983", "199n - 198", "174n - 173", "articulated-body"),
            Claim("Walker and Orin 1982", "n³/6 + 23n²/2 + 115n/3 - 47", "n³/6 + 7n² + 233n/6 - 46", "walker-orin"),
        ], [
            "Walker and Orin: 480 additions are printed for n = 6, the formula gives 475.",
            "Only the first row compares. Featherstone's and Walker and Orin's figures are far below those of "
            "Balafoutis' Table 6.3 for the same algorithms, as if they, too, left the bias out; ours has it in.",
            "That the recursion pays from n = 12 on holds for M + A (4032 against 4073, at n = 11 3638 against "
            "3438); for M alone it does from n = 11, for A alone from n = 15.",
        ]),
        Table("Balafoutis 1989, Table 6.3, n = 6", [
            Claim("Kazerounian and Gupta, zero reference positions", "2468", "1879", "walker-orin-1"),
            Claim("Walker and Orin, composite rigid bodies", "1627", "1261", "walker-orin"),
            Claim("Wang and Ravani, modified Walker and Orin", "1659", "1252", "walker-orin-2"),
            Claim("Featherstone, articulated bodies", "1533", "1415", "articulated-body"),
            Claim("Featherstone, composite rigid bodies, spatial", "1303", "1019", "spatial-composite"),
            Claim("Angeles and Ma, natural orthogonal complement", "1353", "1165", "noc"),
            Claim("Algorithms 6.2 and 5.5, linear solver", "956", "790", "composite-ldlt"),
        ], [
            "The last row is 420 + 450 + 86 M and 339 + 386 + 65 A; the solver takes n³/6 + 3n²/2 - 2n/3 M and n³/6 "
            "+ n² - 7n/6 A.",
            "Kazerounian and Gupta, and Wang and Ravani, are quoted without equations. Beside them stand Walker and "
            "Orin's other methods by inverse dynamics, in full columns and in halves.",
            "Walker and Orin: 741 + 800 + 86 M and 601 + 595 + 65 A, with their inverse dynamics of 137n - 22 M and "
            "101n - 11 A.",
        ]),
        Table("Lin 1991, inertia matrix and bias together, n ≥ 2", [
            Claim("Lin 1991", "23n² + 44n - 82", "15n² + 40n - 70", "base-origin", "solver"),
        ], [
            "The sum of Tables I and II; forward dynamics adds the solver.",
        ]),
    ],
    "linearize": [
        Table("Balafoutis 1989, Tables 7.1 and 7.2 together", [
            Claim("Algorithms 7.1 and 7.2, equations 7.3.2 to 7.3.4", "67n² - 40n + 14", "105n²/2 + 61n/2 - 33", "algorithms-7.1-7.2",
                  "Algorithm 5.5"),
            Claim("the same quantities", "67n² - 40n + 14", "105n²/2 + 61n/2 - 33", "tensor"),
        ], [
            "The tables begin where Algorithm 5.5 ends: its ω, Ω, s̈, Ü and η are not in them, 489 M 420 A at n = 6 "
            "as it counts itself. `tensor` has them; less Algorithm 5.5 means the equations of chapter VII alone.",
        ]),
    ],
}

BREAKDOWNS: dict[str, list[Breakdown]] = {
    "inverse": [
        Breakdown("Balafoutis 1989, Table 5.1: Algorithm 5.5 by equations", [
            ("5.3.45a, ω", "8n - 8", "5n - 5", "4n - 4", "3n - 3"),
            ("5.3.45b, ω̇", "10n - 10", "7n - 7", "6n - 6", "5n - 5"),
            ("5.3.45c, Ω", "6n - 5", "9n - 9", "6n - 5", "9n - 9"),
            ("5.3.45e, s̈", "17n - 14", "13n - 13", "13n - 11", "11n - 11"),
            ("5.3.45f, μ", "15n - 10", "15n - 12", "15n - 10", "15n - 12"),
            ("5.3.46a, Ü", "17n - 8", "13n - 7", "13n - 4", "11n - 5"),
            ("5.3.46b, η", "20n - 14", "19n - 13", "16n - 10", "17n - 11"),
        ], ("93n - 69", "81n - 66", "73n - 50", "71n - 56"), "tensor-augmented", [
            "Link by link the code does what the general columns say; the difference to the total is at the first "
            "two links.",
            "The table already takes the first and the last link out of the loop; Table 5.2 adds what is saved at "
            "link 2 and in η₁.",
            "Two cells are reconstructed from a damaged scan, so that the columns add up to their totals: the "
            "general additions of 5.3.45e and 5.3.45f, run together there as 13(n-1)+3, and the multiplications of "
            "5.3.45e for right angles, 13(n-2) there.",
        ], {
            "5.3.45a": "link 2 finds ω₁ along the axis of link 1: 4 M 1 A, not 8 M 5 A",
            "5.3.45b": "link 2 finds ω̇₁ along the axis of link 1: 6 M 3 A, not 10 M 7 A",
            "5.3.45e": "link 2 finds Ω₁ flat: 12 M 8 A, not 17 M 13 A; gravity has any direction: 4 M 2 A at link 1, not 3 M",
            "5.3.45f": "of link 1 one component: 1 M, not 5 M 3 A",
            "5.3.46a": "of link 1 two components, and none of its own: 6 M 3 A, not 17 M 13 A",
            "5.3.46b": "of link 1 one component: 8 M 7 A, not 20 M 19 A",
        }),
        Breakdown("Balafoutis 1989, Table 5.2: Algorithm 5.5 semi-customized, by equations, n ≥ 2", [
            ("5.3.45a, ω", "8n - 12", "5n - 9", "4n - 7", "3n - 5"),
            ("5.3.45b, ω̇", "10n - 15", "7n - 11", "6n - 10", "5n - 8"),
            ("5.3.45c, Ω", "6n - 5", "9n - 9", "6n - 5", "9n - 9"),
            ("5.3.45e, s̈", "17n - 19", "13n - 16", "13n - 16", "11n - 14"),
            ("5.3.45f, μ", "15n - 13", "15n - 14", "15n - 13", "15n - 14"),
            ("5.3.46a, Ü", "17n - 17", "13n - 16", "13n - 13", "11n - 3"),
            ("5.3.46b, η", "20n - 27", "19n - 25", "16n - 20", "17n - 22"),
        ], ("93n - 108", "81n - 100", "73n - 84", "71n - 75"), "tensor-augmented", [
            "The last column of 5.3.46a looks misprinted: peeling takes 9 off the row of Table 5.1 in the other "
            "columns, which would make it 11n - 14, the total 71n - 86 and 340 at n = 6.",
            "A link in the middle takes what the table says in every row. The constants are what is saved at the first two "
            "links, which the table does not break up further.",
        ], {
            "5.3.45a": "met; 0° and 90°: link 2, turned by 90°, takes 2 M",
            "5.3.45b": "one product more at link 2: 6 M 3 A",
            "5.3.45e": "gravity has any direction: 16 M 10 A for links 1 and 2, not 15 M 10 A",
            "5.3.45f": "of link 1 one component: 1 M, not 2 M 1 A",
            "5.3.46a": "of link 1 two components: 6 M 3 A, not 8 M 4 A",
            "5.3.46b": "of link 1 one component: 8 M 7 A, not 7 M 7 A",
        }),
    ],
    "inertia": [
        Breakdown("Balafoutis 1989, Table 6.1: Algorithm 6.2 by equations, n ≥ 2", [
            ("6.3.29a, U", "8n - 16", "7n - 10", "4n - 8", "5n - 10"),
            ("6.3.29b, s", "2n - 2", "0", "2n - 2", "0"),
            ("6.3.29c, E", "30n - 42", "39n - 52", "20n - 25", "32n - 42"),
            ("6.3.30a, f", "4n² - 12n + 8", "2n² - 6n + 4", "2n² - 6n + 4", "n² - 3n + 2"),
            ("6.3.30b, η", "7n² - 17n + 16", "7n²/2 - 15n/2 + 4", "5n² - 13n + 8", "5n²/2 - 11n/2 + 3"),
        ], ("11n² + 11n - 42", "11n²/2 + 65n/2 - 54", "7n² + 7n - 23", "7n²/2 + 57n/2 - 47"), "generalized-links", [
            "Multiplications: the total follows with 7n² - 17n + 10 for 6.3.30b, 14 an inner step and 4 for the last.",
            "Additions of 6.3.29a: seven for each of n - 2 links would be 7n - 14, as in the last column; the total "
            "has -10 in it.",
            "Additions of 6.3.30b: an inner step is counted with 7, but a cross product (3), a sum (3) and a "
            "rotation (4) make 10, which is what Table 7.1 counts for the same structure. With the cheaper "
            "congruence the scheme then takes 11n² + 12n - 41 M and 7n² + 30n - 56 A, 427 and 376 at n = 6.",
            "6.3.29e, not in the table: the pseudo-inertia is summed, and E z takes one addition, n - 1 in all.",
        ], {
            "6.3.29a": "the last step has its two components here, 6 M 3 A",
            "6.3.29b": "offsets are used in the parent's frame, where they are constant",
            "6.3.29c": "the congruence takes 16 M 15 A, not 21 M 18 A",
            "6.3.30a": "moments are formed in the parent's frame, so the last step takes 6 M 3 A too; the first starts flat, 6 M "
                       "2 A",
            "6.3.30b": "the last step takes 6 M 4 A; every addition is counted",
        }),
    ],
    "linearize": [
        Breakdown("Balafoutis 1989, Table 7.1: Algorithms 7.1 and 7.2 by equations", [
            ("7.3.12a, z", "4n² - 10n + 6", "2n² - 6n + 4", "2n² - 6n + 4", "n² - 3n + 2"),
            ("7.3.12b, ż", "4n² - 12n + 8", "2n² - 6n + 4", "2n² - 6n + 4", "n² - 3n + 2"),
            ("7.3.12c, z̈", "4n² - 12n + 8", "2n² - 6n + 4", "2n² - 6n + 4", "n² - 3n + 2"),
            ("7.3.12d, s̈ from the base", "4n² - 10n + 5", "2n² - 6n + 4", "2n² - 3n + 1", "n² - 3n + 2"),
            ("7.3.12e, s", "4n² - 10n + 6", "7n²/2 - 23n/2 + 7", "2n² - 6n + 4", "5n²/2 - 15n/2 + 5"),
            ("7.3.12f, ṡ", "7n² - 7n", "5n² - 5n", "5n² - 5n", "4n² - 4n"),
            ("7.3.14a, U", "8n - 8", "7n - 7", "4n - 4", "5n - 5"),
            ("7.3.14b, U̇", "14n - 14", "10n - 10", "10n - 10", "8n - 8"),
            ("7.3.14c, E", "30n - 30", "39n - 39", "20n - 20", "32n - 32"),
            ("7.3.14d, L", "69n - 69", "74n - 74", "51n - 51", "63n - 63"),
        ], ("27n² + 61n - 88", "33n²/2 + 201n/2 - 107", "15n² + 53n - 68", "21n²/2 + 169n/2 - 95"), "algorithms-7.1-7.2", [
            "Multiplications: the total follows with 4n² - 9n + 5 for 7.3.12d.",
            "Additions: with 7n²/2 - 21n/2 + 7 for 7.3.12e, which is 3.5(n - 1)(n - 2), the rows add up to 33n²/2 + "
            "181n/2 - 107, 1030 at n = 6. The printed 1090, and the 2040 made with it, are 60 too high.",
        ], {
            "7.3.12b": "ż has no component along its own axis: the first step takes 6 M 2 A",
            "7.3.12d": "gravity has any direction: s̈ of joint 1 is carried like the others, where the table has 3 M",
            "7.3.12e": "origins need not be at the feet of common normals: 4 M 2 A from the parent, where the table has 2 M",
            "7.3.12f": "ω x s is formed once for a link, not once for a pair",
            "7.3.14b": "the last link's own 6 M 3 A, which the table leaves out",
            "7.3.14c": "the congruence takes 16 M 15 A, not 21 M 18 A",
            "7.3.14d": "the congruence takes 28 M 24 A, not 36 M 32 A; the last link's own 15 M 9 A, which the table leaves out",
        }),
        Breakdown("Balafoutis 1989, Table 7.2: equations 7.3.2 to 7.3.4", [
            ("7.3.2, D", "9n² - 18n + 8", "9n² - 12n + 3"),
            ("7.3.3, V", "15n² - 30n + 34", "14n² - 15n + 25"),
            ("7.3.4, P", "16n² - 53n + 60", "13n² - 43n + 46"),
        ], ("40n² - 101n + 102", "36n² - 70n + 74"), "algorithms-7.1-7.2", [
            "Both tables together, as printed: 2186 M 2040 A at n = 6 (1726 M 1740 A with twists of 0° and 90°, which takes "
            "this table as it is).",
            "18 M and 18 A for a pair of joints in 7.3.2 are the full product of two skew matrices (9 M 3 A), a sum (9 A) and a "
            "matrix times a vector (9 M 6 A), of which one component is used.",
        ], {
            "7.3.2": "only the row that is used: 7 M 6 A a pair, not 18 M 18 A",
            "7.3.3": "rows and columns as vectors; force and moment of a column once for a joint",
            "7.3.4": "rows and columns as vectors; force and moment of a column once for a joint",
        }),
    ],
}

# Why our count of a formulation is another than the published one.
REASONS = {
    ("inverse", "hollerbach-3x3"): "rotations are applied factor by factor, 8 M 4 A a vector.",
    ("inverse", "luh-walker-paul"): (
        "rotations take 8 M 4 A, and nothing but gravity is carried over from the base; of the two claims for this "
        "recursion Craig's is the nearer."),
    ("inverse", "denoc"): (
        "the recursion as printed, one M and one A a link below the claim; the first link takes what is left of it "
        "when the base stands still, 39 M and 26 A where the claim leaves room for 76 and 42. The paper has no "
        "breakdown to compare with."),
    ("inverse", "tensor-augmented"): (
        "one text, peeled at the first two links: the parent of the second turns about its own z, and of the first "
        "no more is asked than one moment. The last link is a link like others."),
    ("inverse", "hollerbach-4x4"): (
        "the constant last row of a homogeneous matrix takes no part, and a product with a joint's derivative "
        "matrix only exchanges columns."),
    ("inverse", "christoffel"): "coefficients link by link; no breakdown was published.",
    ("inverse", "kane"): (
        "the sums of equations 5.2.13 and 5.2.14 as they are printed, O(n²); the claim is for a recursion that the "
        "thesis does not print."),
    ("inverse", "tensor"): "nothing but gravity is carried over from the base.",
    ("inverse", "uicker-kahn"): (
        "last rows of homogeneous matrices take no part, a product with the moments is formed once for a link and a "
        "joint, and each pair of rates once."),
    ("inverse", "waters"): (
        "last rows of homogeneous matrices take no part, products with a joint's derivative matrix exchange "
        "columns, and accelerations meet the moments once a link."),
    ("inertia", "walker-orin"): (
        "the congruence takes 16 M 15 A; Steiner's terms of the mass centres share their products."),
    ("inertia", "noc"): (
        "the roots of the bodies' inertias are triangular, and a body's own column is constant; no breakdown was "
        "published."),
    ("inertia", "spatial-composite"): (
        "the congruence takes 16 M 15 A, and every addition is counted; no breakdown was published."),
    ("inertia", "generalized-links"): (
        "the congruence takes 16 M 15 A, the first link and the last step are peeled, and every addition of a step "
        "is counted (Table 6.1)."),
    ("inertia", "renaud"): "the congruence takes 16 M 15 A, and of the first link only one moment is formed.",
    ("inertia", "fijany-bejczy"): "no breakdown was published; the congruence takes 16 M 15 A.",
    ("inertia", "base-origin"): "the congruence takes 16 M 15 A where the paper takes 37 M 19 A.",
    ("bias", "tensor-augmented"): "the inverse dynamics of that name at q̈ = 0; nothing is saved for the zeros.",
    ("bias", "base-origin"): (
        "run after the inertia matrix, whose places, composites, axes and forces it finds done. Of the program in "
        "print our copy lacks the sheet with this part, the third of four."),
    ("forward", "denoc"): (
        "2n - 2 divisions stand apart; the paper has no breakdown to compare with. That its figure leaves the bias "
        "out is our inference from its size: the paper does not say so."),
    ("forward", "articulated-body"): "bias included, revolute joints give way with the third row and column left out.",
    ("forward", "walker-orin"): "the sum of `walker-orin`, `luh-walker-paul` and the solver, bias included.",
    ("forward", "walker-orin-1"): (
        "n + 1 sweeps of Newton and Euler in link frames, where the claim is for the axes of the base."),
    ("forward", "walker-orin-2"): "half of the columns' sweeps; the thesis does not say what was modified.",
    ("forward", "spatial-composite"): "the sum of `spatial-composite`, `luh-walker-paul` and the solver.",
    ("forward", "noc"): (
        "all columns are made orthogonal after Gram and Schmidt, about 2n³ M and as many A; Table 6.3 has no "
        "breakdown."),
    ("forward", "composite-ldlt"): (
        "the sum of `generalized-links`, `tensor-augmented` and the solver, divisions apart; the additions have τ - "
        "b (n) in them and those which the claim for Algorithm 6.2 leaves out. The loops for large n take what the "
        "unrolled solver for small n takes."),
    ("forward", "base-origin"): "see the inertia matrix and the bias of that name.",
    ("linearize", "algorithms-7.1-7.2"): "see the two tables by equations below.",
    ("linearize", "tensor"): (
        "ours: inverse dynamics included, which the tables leave out; columns and rows are walked to the base "
        "together, seven vectors a step, where Algorithm 7.1 carries six from every joint to every tip and forms the "
        "products there."),
}

# The claims that our formulations are measured by: the job, and the figures for n = 6.
MAIN_CLAIMS = [
    ("inverse", Claim("Algorithm 5.5", "489", "420", "tensor-augmented")),
    ("inverse", Claim("Algorithm 5.5, semi-customized", "450", "386", "tensor-augmented")),
    ("inverse", Claim("Algorithm 5.4", "499", "434", "tensor")),
    ("inverse", Claim("Luh, Walker and Paul, Craig's count", "657", "544", "luh-walker-paul")),
    ("inverse", Claim("RIDIM", "676", "527", "denoc")),
    ("inertia", Claim("Algorithm 6.2", "420", "339", "generalized-links")),
    ("inertia", Claim("Lin's inertia matrix", "524", "380", "base-origin")),
    ("bias", Claim("Lin's bias beside it", "486", "330", "base-origin", "inertia")),
    ("inertia", Claim("Renaud", "553", "416", "renaud")),
    ("forward", Claim("Lin's inertia matrix and bias, one stage", "1010", "710", "base-origin", "solver")),
    ("forward", Claim("RFDSIM, the bias not counted", "871", "797", "denoc", "bias")),
    ("forward", Claim("Algorithms 5.5 and 6.2, LDLᵀ", "956", "790", "composite-ldlt")),
    ("linearize", Claim("Algorithms 7.1 and 7.2, without 5.5", "2186", "2040", "algorithms-7.1-7.2", "Algorithm 5.5")),
]

# Totals of columns for twists of 0° and 90°, n = 6: the job, our formulation, and the claim.
RIGHT_CLAIMS = [
    ("inverse", "tensor-augmented", "Algorithm 5.5, Table 5.1", 388, 370),
    ("inverse", "tensor-augmented", "Algorithm 5.5, semi-customized, Table 5.2", 354, 351),
    ("inertia", "generalized-links", "Algorithm 6.2, Table 6.1", 271, 250),
    ("linearize", "algorithms-7.1-7.2", "Algorithms 7.1 and 7.2, equations 7.3.2 to 7.3.4", 1726, 1740),
]
