//! Boleto numbers by FEBRABAN's rules, the bars of the bar code, and the check digits of CPF and
//! CNPJ. The bank code does not exist, so a boleto cannot be paid by accident.

use time::{Date, Month};

/// A code without a bank.
const BANK: &str = "999";
const REAL: char = '9';

#[derive(Debug, PartialEq, Eq)]
pub struct Numbers {
    /// 44 digits, for the bars.
    pub bar_code: String,
    /// 47 digits, for people.
    pub line: String,
}

/// Numbers for an amount in centavos and a due date. The bank chooses the 25 free digits.
pub fn numbers(due: Date, centavos: i64, free: &str) -> Numbers {
    with_bank(BANK, due, centavos, free)
}

fn with_bank(bank: &str, due: Date, centavos: i64, free: &str) -> Numbers {
    let tail = format!("{:04}{centavos:010}{free}", due_factor(due));
    let head = format!("{bank}{REAL}");
    let bar_code = format!("{head}{}{tail}", modulo_11(&format!("{head}{tail}")));
    let line = line_of(&bar_code);
    Numbers { bar_code, line }
}

/// Days since 1997-10-07; from 2025-02-22 the count restarts at 1000.
fn due_factor(due: Date) -> i64 {
    let day = |year, month, day| Date::from_calendar_date(year, month, day).map_or(0, Date::to_julian_day);
    let restart = day(2025, Month::February, 22);
    let days = due.to_julian_day();
    if days >= restart {
        i64::from(days - restart) + 1000
    } else {
        i64::from(days - day(1997, Month::October, 7))
    }
}

fn line_of(bar: &str) -> String {
    let field = |digits: String| format!("{digits}{}", modulo_10(&digits));
    [
        field(format!("{}{}", &bar[0..4], &bar[19..24])),
        field(bar[24..34].to_owned()),
        field(bar[34..44].to_owned()),
        bar[4..5].to_owned(),
        bar[5..19].to_owned(),
    ]
    .concat()
}

/// The line as it is printed: `AAAAA.AAAAD BBBBB.BBBBBD CCCCC.CCCCCD G VVVVVVVVVVVVVV`.
pub fn printed(line: &str) -> String {
    if line.len() != 47 || !line.is_ascii() {
        return line.to_owned();
    }
    format!(
        "{}.{} {}.{} {}.{} {} {}",
        &line[0..5],
        &line[5..10],
        &line[10..15],
        &line[15..21],
        &line[21..26],
        &line[26..32],
        &line[32..33],
        &line[33..47]
    )
}

fn modulo_10(digits: &str) -> u32 {
    let sum: u32 = digits
        .bytes()
        .rev()
        .zip([2, 1].into_iter().cycle())
        .map(|(byte, weight)| {
            let product = u32::from(byte - b'0') * weight;
            product / 10 + product % 10
        })
        .sum();
    (10 - sum % 10) % 10
}

fn modulo_11(digits: &str) -> u32 {
    let sum: u32 =
        digits.bytes().rev().zip((2..=9).cycle()).map(|(byte, weight)| u32::from(byte - b'0') * weight).sum();
    match 11 - sum % 11 {
        0 | 10 | 11 => 1,
        digit => digit,
    }
}

const PATTERNS: [&str; 10] =
    ["nnwwn", "wnnnw", "nwnnw", "wwnnn", "nnwnw", "wnwnn", "nwwnn", "nnnww", "wnnwn", "nwnwn"];

/// Bars of the interleaved 2 of 5 code, as (first module, width in modules). 44 digits have 405
/// modules.
pub fn bars(digits: &str) -> Vec<(u32, u32)> {
    let mut elements = String::from("nnnn");
    let values: Vec<usize> = digits.bytes().map(|byte| usize::from(byte - b'0')).collect();
    for pair in values.chunks_exact(2) {
        for (bar, space) in PATTERNS[pair[0]].chars().zip(PATTERNS[pair[1]].chars()) {
            elements.push(bar);
            elements.push(space);
        }
    }
    elements.push_str("wnn");
    let mut bars = Vec::new();
    let mut x = 0;
    for (at, element) in elements.chars().enumerate() {
        let width = if element == 'w' { 3 } else { 1 };
        if at % 2 == 0 {
            bars.push((x, width));
        }
        x += width;
    }
    bars
}

/// Whether a CPF or CNPJ has valid check digits. Of ids with one repeated digit, only the
/// provider's test ids (all zeros) are valid.
pub fn is_valid_tax_id(text: &str) -> bool {
    let id: Vec<u32> = text
        .chars()
        .filter(char::is_ascii_alphanumeric)
        .map(|c| u32::from(c.to_ascii_uppercase()) - u32::from('0'))
        .collect();
    let digits_only = id.iter().all(|value| *value < 10);
    let repeated = id.windows(2).all(|pair| pair[0] == pair[1]);
    if repeated {
        return digits_only && id.first() == Some(&0) && matches!(id.len(), 11 | 14);
    }
    match id.len() {
        11 => digits_only && (9..11).all(|at| id[at] == cpf_digit(&id[..at])),
        14 => id[12..].iter().all(|value| *value < 10) && (12..14).all(|at| id[at] == cnpj_digit(&id[..at])),
        _ => false,
    }
}

fn cpf_digit(values: &[u32]) -> u32 {
    let sum: u32 = values.iter().rev().zip(2..).map(|(value, weight)| value * weight).sum();
    sum * 10 % 11 % 10
}

fn cnpj_digit(values: &[u32]) -> u32 {
    let sum: u32 = values.iter().rev().zip((2..=9).cycle()).map(|(value, weight)| value * weight).sum();
    match sum % 11 {
        0 | 1 => 0,
        rest => 11 - rest,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn date(year: i32, month: Month, day: u8) -> Date {
        Date::from_calendar_date(year, month, day).expect("the date exists")
    }

    #[test]
    fn the_published_test_vectors_match() {
        let worked = with_bank("341", date(2026, Month::December, 5), 2990, "1091234567812345678901000");
        assert_eq!(worked.bar_code, "34191165100000029901091234567812345678901000");
        assert_eq!(worked.line, "34191091233456781234156789010008116510000002990");
        assert_eq!(printed(&worked.line), "34191.09123 34567.812341 56789.010008 1 16510000002990");

        let itau = with_bank("341", date(2002, Month::May, 1), 12_345, "1101234567880057123457000");
        assert_eq!(itau.bar_code, "34196166700000123451101234567880057123457000");
        assert_eq!(printed(&itau.line), "34191.10121 34567.880058 71234.570001 6 16670000012345");

        let brasil = with_bank("001", date(2007, Month::December, 31), 100, "0500940144816060680935031");
        assert_eq!(brasil.bar_code, "00193373700000001000500940144816060680935031");
        assert_eq!(printed(&brasil.line), "00190.50095 40144.816069 06809.350314 3 37370000000100");
    }

    #[test]
    fn the_due_date_factor_restarts_at_1000() {
        assert_eq!(due_factor(date(2025, Month::February, 21)), 9999);
        assert_eq!(due_factor(date(2025, Month::February, 22)), 1000);
        assert_eq!(due_factor(date(2025, Month::February, 23)), 1001);
    }

    #[test]
    fn the_bar_code_has_405_modules() {
        let bars = bars("34191165100000029901091234567812345678901000");
        let (x, width) = bars.last().expect("there are bars");

        assert_eq!(bars.len(), 114);
        assert_eq!(x + width, 405);
    }

    #[test]
    fn the_check_digits_of_cpf_and_cnpj_are_verified() {
        for good in [
            "111.444.777-35",
            "529.982.247-25",
            "123.456.789-09",
            "11.222.333/0001-81",
            "12.ABC.345/01DE-35",
            "000.000.000-00",
            "00.000.000/0000-00",
        ] {
            assert!(is_valid_tax_id(good), "{good}");
        }
        for bad in ["111.111.111-11", "529.982.247-26", "", "123", "12.ABC.345/01DE-36", "ááá.982.247-25"]
        {
            assert!(!is_valid_tax_id(bad), "{bad}");
        }
    }
}
