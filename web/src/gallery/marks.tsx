import { classNames } from '../lib/class-names'
import { EmptySieve } from '../ui/empty-sieve'
import { LineIcon } from '../ui/line-icon'
import { Logo, LogoMark } from '../ui/logo'
import { PanArt } from '../ui/pan-art'
import { Spinner } from '../ui/spinner'
import styles from './gallery.module.css'
import type { Parts } from './parts'

export const marks = {
  Logo: {
    use: 'The sieve with its nugget, and the name.',
    samples: [
      { state: 'on the page', content: <Logo /> },
      { state: 'on a dark ground', ground: 'inverse', content: <Logo /> },
    ],
  },
  LogoMark: {
    use: 'The sieve alone, in the colour of the text around it.',
    samples: [
      { state: 'on the page', content: <LogoMark /> },
      { state: 'on a dark ground', ground: 'inverse', content: <LogoMark /> },
    ],
  },
  Spinner: {
    use: 'The sieve, shaken. Its place names the wait.',
    samples: [
      { state: 'sm', content: <Spinner size="sm" /> },
      { state: 'md', content: <Spinner /> },
      { state: 'lg', content: <Spinner size="lg" /> },
    ],
  },
  EmptySieve: {
    use: 'Nothing passed: empty, error and not-found pages.',
    samples: [{ state: 'alone', content: <EmptySieve /> }],
  },
  PanArt: {
    use: 'The pan seen from above, where a page has room for a drawing.',
    samples: [{ state: 'alone', content: <PanArt /> }],
  },
  LineIcon: {
    use: 'A line drawing in the text’s colour, hidden from screen readers.',
    samples: [
      {
        state: 'three drawings',
        content: (
          <div className={classNames(styles.row, styles.icons)}>
            <LineIcon width="24" viewBox="0 0 20 20" strokeWidth="2.4" d="m4 10.500 4 4 8-9" />
            <LineIcon width="24" viewBox="0 0 20 20" strokeWidth="2" d="M4 10h12M10 4v12" />
            <LineIcon width="24" viewBox="0 0 20 20" strokeWidth="2" d="m5 5 10 10M15 5 5 15" />
          </div>
        ),
      },
    ],
  },
} satisfies Parts
