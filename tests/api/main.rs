//! Scenarios over the running binary: REST, gRPC and gRPC-Web.

mod boleto;
mod cadastro;
mod cartao;
mod contrato;
mod coverage;
mod entrada_ruim;
mod eventos;
mod falhas;
mod frota;
mod operacao;
mod precos;
mod quedas;
mod recuperacao;
mod sessao;
