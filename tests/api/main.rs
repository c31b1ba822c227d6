//! Scenarios over the running binary: REST, gRPC and gRPC-Web.

mod boleto;
mod cadastro;
mod cartao;
mod entrada_ruim;
mod eventos;
mod frota;
mod operacao;
mod quedas;
mod sessao;
