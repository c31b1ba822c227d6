import { lazy, Suspense, useCallback, useEffect, useState } from 'react'
import { focus, pageHeading } from '../../lib/focus'
import { PREFERENCES } from '../../lib/paths'
import { useLate } from '../../lib/use-late'
import { useConsent } from './use-consent'

const ConsentDialog = lazy(() => import('./consent-dialog'))
const loadBar = async () => (await import('./consent-bar')).default

/**
 * Position of the question: `over` the bottom of the page, at its `end`, or nowhere (during a
 * payment, which reports nothing).
 */
export type ConsentPlace = 'over' | 'end' | 'nowhere'

/** The question about advertising, until it is answered, and the choice in detail. */
export default function Consent({ place }: { place: ConsentPlace }) {
  const { asks, allowed, answer } = useConsent(place === 'nowhere')
  const [choosing, setChoosing] = useState(false)
  const [opened, setOpened] = useState(false)
  const keepFocus = useFocusAfterAnswer()
  const choose = useCallback(() => {
    setOpened(true)
    setChoosing(true)
  }, [])
  usePreferenceLinks(asks, choose)
  const isShown = asks && allowed === null && place !== 'nowhere'
  const ConsentBar = useLate(loadBar, isShown)

  const save = (allow: boolean) => {
    setChoosing(false)
    answer(allow)
    keepFocus()
  }
  if (!asks) return null
  return (
    <>
      {isShown && ConsentBar && <ConsentBar key={place} over={place === 'over'} onAnswer={save} />}
      {opened && (
        <Suspense>
          <ConsentDialog
            open={choosing}
            allowed={allowed === true}
            onClose={() => setChoosing(false)}
            onChoose={save}
          />
        </Suspense>
      )}
    </>
  )
}

/**
 * Links to the explanation of the choice open it, while there is one to make; also one that was
 * pressed before it was known.
 */
function usePreferenceLinks(asks: boolean, choose: () => void): void {
  useEffect(() => {
    if (!asks) return
    if (location.href.endsWith(PREFERENCES)) choose()
    const open = (event: MouseEvent) => {
      const link = (event.target as Element).closest('a')
      if (link?.getAttribute('href') !== PREFERENCES || event.ctrlKey || event.metaKey) return
      event.preventDefault()
      event.stopPropagation()
      choose()
    }
    document.addEventListener('click', open, { capture: true })
    return () => document.removeEventListener('click', open, { capture: true })
  }, [asks, choose])
}

/** Moves the focus to the page's heading if an answer removed what had it. */
function useFocusAfterAnswer(): () => void {
  const [answers, setAnswers] = useState(0)
  // After the dialog has closed and given the focus back.
  useEffect(() => {
    if (answers > 0 && document.activeElement === document.body) focus(pageHeading())
  }, [answers])
  return useCallback(() => setAnswers((count) => count + 1), [])
}
