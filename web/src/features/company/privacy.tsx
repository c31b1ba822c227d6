import { privacy } from '../../texts/privacy'
import { LegalPage } from './legal-page'

export default function Privacy() {
  return <LegalPage text={privacy} />
}
