import { classNames } from '../lib/class-names'
import { LineIcon } from '../ui/line-icon'
import { Logo, LogoMark } from '../ui/logo'
import { Sieve } from '../ui/sieve'
import { Spinner } from '../ui/spinner'
import styles from './gallery.module.css'
import type { Parts } from './parts'

export const marks = {
  Logo: {
    states: { 'on the page': <Logo /> },
    dark: { 'on a dark ground': <Logo /> },
  },
  LogoMark: {
    states: { 'on the page': <LogoMark /> },
    dark: { 'on a dark ground': <LogoMark /> },
  },
  Spinner: {
    states: {
      sm: <Spinner size="sm" />,
      md: <Spinner />,
      lg: <Spinner size="lg" />,
    },
  },
  Sieve: {
    states: { empty: <Sieve width={180} />, 'with gravel and gold': <Sieve gravel nuggets width={380} /> },
    dark: { 'on a dark ground': <Sieve gravel nuggets className="at-night" width={380} /> },
  },
  LineIcon: {
    states: {
      'three drawings': (
        <div className={classNames(styles.row, styles.icons)}>
          <LineIcon width="24" viewBox="0 0 20 20" strokeWidth="2.4" d="m4 10.500 4 4 8-9" />
          <LineIcon width="24" viewBox="0 0 20 20" strokeWidth="2" d="M4 10h12M10 4v12" />
          <LineIcon width="24" viewBox="0 0 20 20" strokeWidth="2" d="m5 5 10 10M15 5 5 15" />
        </div>
      ),
    },
  },
} satisfies Parts
