import { Account } from '../../features/account/account'
import { BoletoSlip } from '../../features/checkout/boleto'

export default function AccountPage() {
  return <Account boletoSlip={(boleto) => <BoletoSlip boleto={boleto} />} />
}
