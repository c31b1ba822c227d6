//! The two numbers of a boleto: 47 digits to be typed, 44 to be drawn as bars (FEBRABAN).

/// The bar code of a typeable line, digits alone; `None` when the line is not one of a bank's
/// boleto or a check digit is wrong.
pub fn bar_code(line: &str) -> Option<String> {
    if line.len() != 47 || !line.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let fields = [(&line[..9], &line[9..10]), (&line[10..20], &line[20..21]), (&line[21..31], &line[31..32])];
    if fields.iter().any(|(field, check)| mod_10(field).to_string() != **check) {
        return None;
    }
    let (bank, general, due_and_amount) = (&line[..4], &line[32..33], &line[33..]);
    let free = format!("{}{}{}", &line[4..9], &line[10..20], &line[21..31]);
    let is_right = mod_11(&format!("{bank}{due_and_amount}{free}")).to_string() == general;
    is_right.then(|| format!("{bank}{general}{due_and_amount}{free}"))
}

/// Check digit of a field of the line: weights 2 and 1 from the right, digits of each product
/// summed.
fn mod_10(digits: &str) -> u32 {
    let sum: u32 = from_the_right(digits)
        .enumerate()
        .map(|(at, digit)| {
            let product = digit * if at % 2 == 0 { 2 } else { 1 };
            product / 10 + product % 10
        })
        .sum();
    (10 - sum % 10) % 10
}

/// The general check digit: weights 2 to 9 from the right, over the other 43 digits of the bar
/// code.
fn mod_11(digits: &str) -> u32 {
    let sum: u32 = from_the_right(digits).zip((2..=9).cycle()).map(|(digit, weight)| digit * weight).sum();
    match 11 - sum % 11 {
        10 | 11 => 1,
        digit => digit,
    }
}

fn from_the_right(digits: &str) -> impl Iterator<Item = u32> {
    digits.bytes().rev().map(|byte| u32::from(byte - b'0'))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two lines that banks published, and one computed by hand.
    const VECTORS: [(&str, &str); 3] = [
        ("34191091233456781234156789010008116510000002990", "34191165100000029901091234567812345678901000"),
        ("34191101213456788005871234570001616670000012345", "34196166700000123451101234567880057123457000"),
        ("00190500954014481606906809350314337370000000100", "00193373700000001000500940144816060680935031"),
    ];

    #[test]
    fn the_bar_code_is_derived_from_the_digitable_line() {
        for (line, code) in VECTORS {
            assert_eq!(bar_code(line).as_deref(), Some(code));
        }
    }

    #[test]
    fn a_line_with_a_wrong_digit_gives_no_bar_code() {
        for (line, _) in VECTORS {
            // The fields and the general digit; the last 14 digits are covered by that one alone,
            // which gives 1 to three remainders.
            for at in 0..33 {
                let digit = (line.as_bytes()[at] - b'0' + 1) % 10;
                let wrong = format!("{}{digit}{}", &line[..at], &line[at + 1..]);
                assert_eq!(bar_code(&wrong), None, "digit {at} of {line}");
            }
        }
        for line in [
            "",
            "846700000017435900240209024050002435842210108119",
            "3419109123345678123415678901000811651000000299x",
        ] {
            assert_eq!(bar_code(line), None, "{line}");
        }
    }
}
