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
      frame('card', 'dialog'),
      frame('card with a form that cannot be undone', 'dialog-form'),
      frame('locked, its form is busy', 'dialog-locked'),
      frame('overlay', 'dialog-overlay'),
    ],
  },
  ToastRegion: {
    use: 'One short message at a time, over everything, away from the actions in view.',
    samples: [
      frame('success', 'toast-success', 280),
      frame('error', 'toast-error', 280),
      frame('info', 'toast-info', 280),
      frame('with actions', 'toast-actions', 280),
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
      frame('slip: the boleto waits', 'result-slip', 640),
      frame('sieve: nothing happened', 'result-sieve', 640),
    ],
  },
  PageLoading: {
    use: 'A whole page that waits, announced as a status.',
    samples: [frame('waiting', 'page-loading', 320)],
  },
} satisfies Parts
