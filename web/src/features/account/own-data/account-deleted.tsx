import { Navigate } from 'react-router-dom'
import { paths } from '../../../lib/paths'
import { useTabStored } from '../../../lib/use-stored'
import { ownData } from '../../../texts/account-settings'
import { ButtonLink } from '../../../ui/button'
import { Result, ResultActions, ResultFacts } from '../../../ui/result'

/**
 * /conta-excluida: confirms the deletion, with its protocol number. Only the tab of
 * the deletion has it.
 */
export function AccountDeleted() {
  const texts = ownData.deleted
  const protocol = useTabStored('deletionProtocol')
  if (!protocol) return <Navigate to={paths.home} replace />
  return (
    <Result mark="sieve" title={texts.title} text={texts.text}>
      <ResultFacts facts={[[texts.protocol, protocol]]} />
      <ResultActions>
        <ButtonLink to={paths.home}>{texts.home}</ButtonLink>
      </ResultActions>
    </Result>
  )
}
