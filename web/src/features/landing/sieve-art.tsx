import { tags } from '../../texts/hero-art'
import styles from './sieve-art.module.css'

/** Where each tag falls: x, y, turn in degrees, tone of stone. The last three lie in the sieve. */
const PLACES = [
  [64, 64, -16, 'a'],
  [196, 26, 9, 'b'],
  [344, 58, -8, 'c'],
  [470, 30, 14, 'a'],
  [128, 136, 12, 'c'],
  [420, 128, -13, 'b'],
  [268, 122, 6, 'a'],
  [196, 196, -10, 'b'],
  [372, 202, 11, 'c'],
] as const

/** Gold that has passed: x, y, size. */
const NUGGETS = [
  [304, 366, 1],
  [362, 390, 1.4],
  [420, 360, 0.8],
] as const

/** The sieve: loose tags fall in from above in stone colours, gold comes out below. */
export function SieveArt() {
  return (
    <svg className={styles.art} viewBox="0 0 560 424" fill="none" aria-hidden="true">
      <defs>
        <pattern id="mesh" width="15" height="11" patternUnits="userSpaceOnUse">
          <ellipse className={styles.hole} cx="4" cy="3" rx="2.7" ry="1.7" />
          <ellipse className={styles.hole} cx="11.5" cy="8.5" rx="2.7" ry="1.7" />
        </pattern>
      </defs>

      <g className={styles.trails}>
        <path d="M78 0v24M210 0v2M358 0v18M300 30v56M446 60v34M150 70v30" />
      </g>
      {PLACES.slice(0, 7).map(([x, y, turn, tone], index) => (
        <Tag key={tags[index]} x={x} y={y} turn={turn} tone={tone} text={tags[index] ?? ''} order={index} />
      ))}

      <path className={styles.wall} d="M52 236c4 62 96 96 228 96s224-34 228-96z" />
      <path className={styles.band} d="M56 252c18 50 106 76 224 76s206-26 224-76" />
      <ellipse className={styles.rim} cx="280" cy="234" rx="230" ry="56" />
      <ellipse className={styles.bed} cx="280" cy="239" rx="208" ry="44" />
      <ellipse fill="url(#mesh)" cx="280" cy="239" rx="204" ry="41" />
      {PLACES.slice(7).map(([x, y, turn, tone], index) => (
        <Tag
          key={tags[index + 7]}
          x={x}
          y={y}
          turn={turn}
          tone={tone}
          text={tags[index + 7] ?? ''}
          order={index + 7}
        />
      ))}

      <g className={styles.goldTrails}>
        <path d="M304 338v8M362 334v30M420 328v14" />
      </g>
      {NUGGETS.map(([x, y, size], index) => (
        <g key={x} transform={`translate(${x} ${y}) scale(${size})`}>
          <g className={styles.nugget} data-order={index}>
            <path className={styles.gold} d="m-15-4 6-10 13-3 12 8 1 12-9 10-13 1-10-8z" />
            <path className={styles.shine} d="m-15-4 6-10 13-3-6 11z" />
            <path className={styles.shade} d="m-2-6 6-11 12 8-6 8z" opacity="0.35" />
            <path className={styles.shade} d="m-5 14 4-12 11-1 7 2-9 10z" opacity="0.55" />
          </g>
        </g>
      ))}
    </svg>
  )
}

function Tag({
  x,
  y,
  turn,
  tone,
  text,
  order,
}: {
  x: number
  y: number
  turn: number
  tone: 'a' | 'b' | 'c'
  text: string
  order: number
}) {
  const width = 34 + text.length * 8.2
  return (
    <g transform={`translate(${x} ${y}) rotate(${turn})`}>
      <g className={styles.tag} data-order={order}>
        <path
          className={styles[tone]}
          d={`M-4 0 10-17a6 6 0 0 1 4.600-2H${width - 6}a6 6 0 0 1 6 6v26a6 6 0 0 1-6 6H14.600a6 6 0 0 1-4.600-2z`}
        />
        <circle className={styles.eye} cx="11" cy="0" r="4" />
        <text className={styles.text} x="22" y="5">
          {text}
        </text>
      </g>
    </g>
  )
}
