import { readTab } from '../../lib/browser-storage'
import { paths } from '../../lib/paths'
import { ownData } from '../../texts/account-settings'
import { ButtonLink } from '../../ui/button'
import { Result, ResultActions, ResultFacts } from '../../ui/result'

/** /conta-excluida: what was done, and its protocol number while this tab remembers it. */
export function AccountDeleted() {
  const texts = ownData.deleted
  const protocol = readTab('deletionProtocol')
  return (
    <Result mark="sieve" title={texts.title} text={texts.text}>
      {protocol && <ResultFacts facts={[[texts.protocol, protocol]]} />}
      <ResultActions>
        <ButtonLink to={paths.home}>{texts.home}</ButtonLink>
      </ResultActions>
    </Result>
  )
}
