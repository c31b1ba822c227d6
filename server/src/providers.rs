//! Every wire that leaves the product, one file each; nothing else sends HTTP (design section 1).

pub mod mail;
pub mod stripe;
