import { LegalPage } from '../../features/company/legal-page'
import { privacy } from '../../texts/privacy'

export default function Privacy() {
  return <LegalPage text={privacy} />
}
