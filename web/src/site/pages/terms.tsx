import { LegalPage } from '../../features/company/legal-page'
import { terms } from '../../texts/terms'

export default function Terms() {
  return <LegalPage text={terms} />
}
