//! One smoke test of the fleet: one sandbox, two servers, one gateway, PostgreSQL.

use e2e::Person;
use e2e::fleet::Fleet;

#[tokio::test]
async fn o_caminho_principal_passa_por_uma_frota_de_dois_servidores() {
    let Some(mut fleet) = Fleet::start().await else {
        println!("no PostgreSQL in this run: the fleet has nothing to stand on");
        return;
    };
    let ana = fleet.visitor().signs_up(&Person::new()).await;
    let session = ana.opens_checkout("Elite Nível 2", "semestral").await;
    assert_eq!(fleet.provider().pays_by_card(&session, "4242424242424242").await, 200);
    assert_eq!(ana.becomes_active().await["subscription_plan"], "elite_nivel_2");

    fleet.kills_a_server();

    let rui = fleet.visitor().signs_up(&Person::new()).await;
    let session = rui.opens_checkout("Top Afiliado", "anual").await;
    fleet.provider().pays_by_card(&session, "4242424242424242").await;
    assert_eq!(rui.becomes_active().await["subscription_plan"], "top_afiliado");
}
