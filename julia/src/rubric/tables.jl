# Tables 4 and 5 of arXiv:2510.04265 as data; a test compares them with spec/rubric.json.

const STANDARD_SIGNALS = [  # the range of each signal
    "has_box" => (0.0, 1.0),
    "is_correct" => (0.0, 1.0),
    "token_ratio" => (0.0, Inf),
    "repeated_pattern" => (0.0, 1.0),
    "prompt_bpt" => (0.0, Inf),
    "completion_bpt" => (0.0, Inf),
    "A" => (0.0, 1.0),
    "B" => (0.0, 1.0),
    "C" => (0.0, 1.0),
]
const BINARY = ["repeated_pattern"]  # signals that must be 0 or 1

# which percentile of which signal, among all attempts (nothing) or those for which a condition is true
const STANDARD_THRESHOLDS = [
    "tau_high" => (40, "completion_bpt", nothing),
    "tau_low_wrong" => (60, "completion_bpt", "wrong"),
    "tau_prompt" => (90, "prompt_bpt", nothing),
    "len_p33" => (33, "token_ratio", nothing),
    "len_p66" => (66, "token_ratio", nothing),
    "corr_p33" => (33, "completion_bpt", "correct"),
    "corr_p66" => (66, "completion_bpt", "correct"),
]

# names for conditions; ood and ind: the prompt is out of the distribution, or in it
const STANDARD_VARIABLES = [
    "invalid" => "repeated_pattern == 1 or C >= 0.5",
    "correct" => "is_correct >= 0.5",
    "wrong" => "is_correct < 0.5",
    "high_conf" => "completion_bpt <= tau_high",
    "low_conf" => "completion_bpt > tau_high",
    "wrong_high_conf" => "wrong and completion_bpt <= tau_low_wrong",
    "ood" => "prompt_bpt >= tau_prompt",
    "ind" => "prompt_bpt < tau_prompt",
    "economical" => "token_ratio <= len_p33",
    "moderate" => "token_ratio > len_p33 and token_ratio <= len_p66",
    "verbose" => "token_ratio > len_p66",
    "boxed" => "has_box >= 0.5",
    "unboxed" => "has_box < 0.5",
    "A_high" => "A >= 0.6",
]

const CORRECTNESS = [0 => "invalid", 1 => "wrong", 2 => "correct"]
const STANDARD_SCHEMATA = [  # label, rules in the order tried, scores w
    "exact_match" => ("Exact Match", CORRECTNESS, [0.0, 0.0, 1.0]),
    "format_aware" => (
        "Format Aware",
        [
            0 => "invalid",
            1 => "wrong and unboxed",
            2 => "wrong and boxed",
            3 => "correct and unboxed",
            4 => "correct and boxed",
        ],
        [0.0, 0.0, 1 / 3, 2 / 3, 1.0],
    ),
    "conf_calibrated" => (
        "Conf-Calibrated",
        [
            0 => "invalid",
            2 => "wrong_high_conf",
            1 => "wrong",
            5 => "correct and completion_bpt <= corr_p33",
            4 => "correct and completion_bpt <= corr_p66",
            3 => "correct",
        ],
        [0.0, 0.2, 0.0, 0.6, 0.8, 1.0],
    ),
    "ood_robustness" => (
        "OOD Robustness",
        [0 => "invalid", 1 => "ood and wrong", 2 => "ind and wrong", 3 => "ood and correct", 4 => "ind and correct"],
        [0.0, 0.1, 0.0, 1.0, 0.9],
    ),
    "strict_compliance" => (
        "Strict Compliance",
        [0 => "invalid", 1 => "wrong or unboxed", 2 => "correct and boxed"],
        [0.0, 0.0, 1.0],
    ),
    "conf_wrong_penalty" => (
        "Conf-Wrong Penalty",
        [0 => "invalid", 1 => "wrong_high_conf", 2 => "wrong", 3 => "correct"],
        [0.0, 0.0, 0.25, 1.0],
    ),
    "verifier_only" => (
        "Verifier-Only",
        [0 => "invalid", 3 => "A_high", 2 => "B >= C", 1 => "otherwise"],
        [0.0, 0.0, 0.1, 1.0],
    ),
    "format_confidence" => (
        "Format+Confidence",
        [
            0 => "invalid",
            1 => "wrong and unboxed",
            2 => "wrong and boxed and low_conf",
            3 => "wrong and boxed and high_conf",
            4 => "correct and unboxed and low_conf",
            5 => "correct and unboxed and high_conf",
            6 => "correct and boxed and low_conf",
            7 => "correct and boxed and high_conf",
        ],
        [0.0, 0.0, 0.1, 0.0, 0.5, 0.6, 0.8, 1.0],
    ),
    "length_robust" => ("Length-Robust", CORRECTNESS, [0.0, 0.0, 1.0]),
    "verifier_probe" => (
        "Verifier Probe",
        [0 => "invalid", 1 => "wrong and A_high", 2 => "wrong", 4 => "correct and A_high", 3 => "correct"],
        [0.0, 0.0, 0.1, 0.8, 1.0],
    ),
    "efficiency_adjusted" => (
        "Efficiency-Adjusted",
        [
            0 => "invalid",
            1 => "wrong and economical",
            2 => "wrong and moderate",
            3 => "wrong and verbose",
            4 => "correct and economical",
            5 => "correct and moderate",
            6 => "correct and verbose",
        ],
        [0.0, 0.1, 0.05, 0.0, 1.0, 0.9, 0.8],
    ),
    "concision_high_conf" => (
        "Concision-High-Conf",
        [
            0 => "invalid",
            1 => "wrong",
            2 => "correct and verbose",
            3 => "correct and moderate",
            5 => "correct and economical and high_conf",
            4 => "correct and economical",
        ],
        [0.0, 0.0, 0.6, 0.8, 0.9, 1.0],
    ),
]
