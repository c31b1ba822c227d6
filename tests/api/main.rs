//! Scenarios over the running binary: REST, gRPC and gRPC-Web.

mod ataques;
mod boleto;
mod cadastro;
mod cartao;
mod conta;
mod contrato;
mod correio;
mod coverage;
mod direitos;
mod entrada_ruim;
mod eventos;
mod falhas;
mod frota;
mod identidade;
mod operacao;
mod ordem;
mod precos;
mod quedas;
mod recuperacao;
mod renovacao_boleto;
mod renovacao_cartao;
mod sessao;
