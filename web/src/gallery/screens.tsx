import styles from './gallery.module.css'
import type { Parts, Sample } from './parts'
import type { StageName } from './stages'

const frame = (state: string, stage: StageName, height = 520): Sample => ({
  state,
  content: (
    <iframe
      className={styles.frame}
      style={{ height }}
      title={`${state} (${stage})`}
      src={`/gallery.html?stage=${stage}`}
      loading="lazy"
    />
  ),
})

export const screens = {
  Dialog: {
    use: 'The native modal dialog. While it is locked, only the buttons inside close it.',
    samples: [
      frame('card', 'dialog', 320),
      frame('card with a form that cannot be undone', 'dialog-form', 560),
      frame('locked, its form is busy', 'dialog-locked', 560),
      frame('overlay', 'dialog-overlay', 320),
    ],
  },
  ToastRegion: {
    use: 'One short message at a time, over everything, away from the actions in view.',
    samples: [
      frame('success', 'toast-success', 240),
      frame('error', 'toast-error', 240),
      frame('info', 'toast-info', 240),
      frame('with actions', 'toast-actions', 240),
    ],
  },
  Notice: {
    use: 'A page that is one message: a drawing, a heading, a line, what to do next.',
    samples: [frame('with a drawing', 'notice'), frame('with a mark', 'notice-mark')],
  },
  Result: {
    use: 'A page that is one outcome.',
    samples: [
      frame('nugget: it is done', 'result-nugget', 640),
      frame('slip: the boleto waits', 'result-slip'),
      frame('sieve: nothing happened', 'result-sieve'),
    ],
  },
  ResultActions: {
    use: 'Buttons of a result, side by side where there is room.',
    samples: [frame('in a result', 'result-sieve')],
  },
  ResultFacts: {
    use: 'Facts of a result, one a line.',
    samples: [frame('in a result', 'result-nugget', 640)],
  },
  PageLoading: {
    use: 'A whole page that waits, announced as a status.',
    samples: [frame('waiting', 'page-loading', 320)],
  },
} satisfies Parts
