//! The provider's test cards and their results.

use serde::Deserialize;

use crate::provider::ApiError;
use crate::state::Moment;

/// Letters of a name that are kept.
pub const MAX_NAME: usize = 120;

/// A card as a visitor typed it.
#[derive(Clone, Debug)]
pub struct Card {
    /// 13 to 19 digits.
    pub number: String,
    /// 1 to 12.
    pub exp_month: u8,
    /// Four digits.
    pub exp_year: i32,
    pub name: String,
}

/// The holder's answer to the bank's request for authentication.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
pub enum Challenge {
    #[default]
    #[serde(skip)]
    Unasked,
    #[serde(rename = "authorize")]
    Authorized,
    #[serde(rename = "refuse")]
    Refused,
}

/// Result of a charge.
pub enum Verdict {
    Paid,
    /// The bank wants the holder's consent first.
    Challenge,
    Declined(ApiError),
}

impl Card {
    /// Reads the form.
    ///
    /// # Errors
    /// 402 with the code and the text that the form shows beside the field.
    pub fn parse(number: &str, expiry: &str, cvc: &str, name: &str, now: Moment) -> Result<Self, ApiError> {
        let digits: String = number.chars().filter(char::is_ascii_digit).collect();
        let is_number = (13..=19).contains(&digits.len()) && has_valid_check_digit(&digits);
        ensure!(is_number, declined("incorrect_number", None));
        let parts: Vec<u32> = expiry.split('/').filter_map(|part| part.trim().parse().ok()).collect();
        let (month, year) = match parts.as_slice() {
            [month @ 1..=12, year @ 0..=99] => (*month as u8, 2000 + *year as i32),
            [month @ 1..=12, year @ 2000..=2099] => (*month as u8, *year as i32),
            _ => return Err(declined("invalid_expiry", None)),
        };
        let today = now.in_sao_paulo();
        let is_past = (year, month) < (today.year(), u8::from(today.month()));
        ensure!(!is_past, declined("invalid_expiry_past", None));
        let is_cvc = (3..=4).contains(&cvc.trim().len()) && cvc.trim().bytes().all(|b| b.is_ascii_digit());
        ensure!(is_cvc, declined("invalid_cvc", None));
        ensure!(!name.trim().is_empty(), declined("name_missing", None));
        Ok(Self {
            number: digits,
            exp_month: month,
            exp_year: year,
            name: name.trim().chars().take(MAX_NAME).collect(),
        })
    }

    /// A valid card with a number, for callers without a browser.
    pub fn of_number(number: &str, now: Moment) -> Result<Self, ApiError> {
        let year = now.in_sao_paulo().year() + 4;
        Self::parse(number, &format!("12/{year}"), "123", "Ana Souza", now)
    }

    /// Brand, by the first digit.
    pub fn brand(&self) -> &'static str {
        match self.number.as_bytes().first() {
            Some(b'5' | b'2') => "mastercard",
            Some(b'3') => "amex",
            Some(b'6') => "elo",
            _ => "visa",
        }
    }

    pub fn last4(&self) -> &str {
        &self.number[self.number.len() - 4..]
    }
}

/// The number of a test card that can be attached by its name.
pub fn of_token(token: &str) -> Option<&'static str> {
    match token {
        "pm_card_visa" => Some("4242424242424242"),
        "pm_card_br" => Some("4000000760000002"),
        "pm_card_chargeCustomerFail" => Some("4000000000000341"),
        "pm_card_authenticationRequired" => Some("4000002760003184"),
        "pm_card_authenticationRequiredChargeDeclinedInsufficientFunds" => Some("4000008260003178"),
        "pm_card_createDispute" => Some("4000000000000259"),
        "pm_card_authenticationRequiredOnSetup" => Some("4000002500003155"),
        "pm_card_authenticationRequiredSetupForOffSession" => Some("4000003800000446"),
        _ => None,
    }
}

/// Result of a charge while the holder is present.
pub fn first_charge(number: &str, challenge: Challenge) -> Verdict {
    let asks = matches!(
        number,
        "4000000000003220"
            | "4000002500003155"
            | "4000002760003184"
            | "4000003800000446"
            | "4000008260003178"
            | "4000008400001629"
    );
    match (asks, challenge) {
        (true, Challenge::Unasked) => return Verdict::Challenge,
        (true, Challenge::Refused) => return Verdict::Declined(declined("authentication_required", None)),
        _ => {}
    }
    let (code, decline_code) = match number {
        "4000000000000002" | "4000008400001629" => ("card_declined", Some("generic_decline")),
        "4000000000009995" | "4000008260003178" => ("card_declined", Some("insufficient_funds")),
        "4000000000009987" => ("card_declined", Some("lost_card")),
        "4000000000009979" => ("card_declined", Some("stolen_card")),
        "4000000000000069" => ("expired_card", None),
        "4000000000000127" => ("incorrect_cvc", None),
        "4000000000000119" => ("processing_error", None),
        _ => return Verdict::Paid,
    };
    Verdict::Declined(declined(code, decline_code))
}

/// Result of saving a card without a payment while the holder is present.
pub fn setup(number: &str) -> Verdict {
    match number {
        // This card authenticates, and declines payments only.
        "4000008260003178" => Verdict::Paid,
        other => first_charge(other, Challenge::Authorized),
    }
}

/// Result of a charge while the holder is absent, such as a renewal.
pub fn later_charge(number: &str) -> Verdict {
    match number {
        "4000000000000341" => Verdict::Declined(declined("card_declined", Some("generic_decline"))),
        "4000000000003220" | "4000002760003184" | "4000008260003178" => Verdict::Challenge,
        // 3155 and 0446 were authenticated when they were saved.
        other => first_charge(other, Challenge::Authorized),
    }
}

/// Result of a payment after the holder answered in the browser.
pub fn authenticated_charge(number: &str, challenge: Challenge) -> Verdict {
    match first_charge(number, challenge) {
        Verdict::Declined(why) if why.code() == "authentication_required" => {
            Verdict::Declined(declined("payment_intent_authentication_failure", None))
        }
        verdict => verdict,
    }
}

/// The decline of a code, with its text for visitors.
pub fn declined(code: &str, decline_code: Option<&str>) -> ApiError {
    let message = match (code, decline_code) {
        ("incorrect_number", _) => "O número do cartão não é válido. Confira e tente de novo.",
        ("invalid_expiry", _) => "A validade não é válida. Use o formato MM/AA.",
        ("invalid_expiry_past", _) => "A validade deste cartão já passou.",
        ("invalid_cvc", _) => "O código de segurança está incompleto.",
        ("name_missing", _) => "Digite o nome como está no cartão.",
        ("expired_card", _) => "O cartão está vencido. Use outro cartão.",
        ("incorrect_cvc", _) => "O código de segurança do cartão está incorreto.",
        ("processing_error", _) => {
            "Ocorreu um erro ao processar o cartão. Tente de novo em instantes ou use outro cartão."
        }
        ("authentication_required" | "payment_intent_authentication_failure", _) => {
            "Não foi possível autenticar o pagamento no seu banco. Tente de novo ou use outro cartão."
        }
        (_, Some("insufficient_funds")) => "O cartão foi recusado por saldo insuficiente. Use outro cartão.",
        _ => "O cartão foi recusado. Use outro cartão ou fale com o seu banco.",
    };
    ApiError::declined(code, decline_code, message)
}

fn has_valid_check_digit(digits: &str) -> bool {
    let sum: u32 = digits
        .bytes()
        .rev()
        .enumerate()
        .map(|(at, byte)| {
            let digit = u32::from(byte - b'0') * if at % 2 == 1 { 2 } else { 1 };
            if digit > 9 { digit - 9 } else { digit }
        })
        .sum();
    sum.is_multiple_of(10)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code_of(number: &str, expiry: &str, cvc: &str) -> String {
        let now = Moment::parse("2026-11-21T12:00:00Z").expect("the instant is written well");
        Card::parse(number, expiry, cvc, "Ana", now).err().map_or_else(String::new, |e| e.code().to_owned())
    }

    #[test]
    fn the_form_refuses_an_impossible_number_expiry_or_cvc() {
        assert_eq!(code_of("4242 4242 4242 4242", "12 / 30", "123"), "");
        assert_eq!(code_of("4242 4242 4242 4241", "12/30", "123"), "incorrect_number");
        assert_eq!(code_of("4242424242424242", "13/30", "123"), "invalid_expiry");
        assert_eq!(code_of("4242424242424242", "10/26", "123"), "invalid_expiry_past");
        assert_eq!(code_of("4242424242424242", "11/26", "12"), "invalid_cvc");
    }
}
