import { useId } from 'react'
import styles from './sieve-art.module.css'
import { bed, falling, type Gravel, gold, goldEdges } from './sieve-shapes'

/** A poor offer on the mesh: a tag with its fault. */
export interface Reject {
  text: string
  x: number
  y: number
  /** Angle in degrees. */
  turn: number
  width: number
}

/**
 * The sieve, seen from above with light from the top left. It is the one object of all drawings:
 * with gravel, poor offers and gold, with gold alone, or empty. Its colours on a dark ground are
 * tokens (`--bed`, `--hole`, `--cast`). Where it is drawn small, `--tag-scale` and `--tag-shift`
 * keep the tags legible and in sight.
 */
export function Sieve({
  gravel = false,
  nuggets = false,
  rejects = [],
  width,
  className,
}: {
  gravel?: boolean
  nuggets?: boolean
  rejects?: readonly Reject[]
  width?: number
  className?: string
}) {
  const id = useId()
  const ref = (name: string) => `url(#${id}${name})`
  return (
    <svg className={className} width={width} viewBox="0 0 720 720" fill="none" aria-hidden="true">
      <defs>
        <radialGradient id={`${id}rim`} cx=".32" cy=".24" r=".92">
          <stop stopColor="#3dbb8d" />
          <stop offset=".3" stopColor="#168a62" />
          <stop offset=".58" stopColor="var(--folha)" />
          <stop offset="1" stopColor="#063325" />
        </radialGradient>
        <linearGradient id={`${id}lip`} x2="1" y2="1">
          <stop stopColor="#c9f5e0" />
          <stop offset=".4" stopColor="#c9f5e0" stopOpacity=".1" />
          <stop offset="1" stopColor="#02150f" />
        </linearGradient>
        <radialGradient id={`${id}bed`} cx=".42" cy=".36" r=".75">
          <stop stopColor="var(--bed-light)" />
          <stop offset=".7" stopColor="var(--bed)" />
          <stop offset="1" stopColor="var(--bed-shade)" />
        </radialGradient>
        <radialGradient id={`${id}well`} cx=".53" cy=".54" r=".5">
          <stop offset=".78" stopColor="#04231a" stopOpacity="0" />
          <stop offset=".93" stopColor="#04231a" stopOpacity=".28" />
          <stop offset="1" stopColor="#04231a" stopOpacity=".62" />
        </radialGradient>
        <radialGradient id={`${id}cast`}>
          <stop offset=".8" stopColor="var(--cast)" />
          <stop offset="1" stopColor="var(--cast)" stopOpacity="0" />
        </radialGradient>
        <radialGradient id={`${id}glow`}>
          <stop stopColor="#ffcf4d" stopOpacity=".8" />
          <stop offset=".5" stopColor="#ffcf4d" stopOpacity=".3" />
          <stop offset="1" stopColor="#ffcf4d" stopOpacity="0" />
        </radialGradient>
        <pattern
          id={`${id}mesh`}
          width="16"
          height="16"
          patternUnits="userSpaceOnUse"
          patternTransform="rotate(18)"
        >
          <circle cx="8" cy="8" r="2.6" fill="var(--hole)" />
          <circle cx="8.6" cy="8.8" r="2.1" fill="var(--hole-deep)" />
        </pattern>
        <filter id={`${id}shadow`} x="-5%" y="-5%" width="115%" height="120%">
          <feDropShadow dx="4" dy="8" stdDeviation="5" floodColor="#10201b" floodOpacity=".42" />
        </filter>
      </defs>
      <ellipse fill={ref('cast')} cx="374" cy="386" rx="346" ry="334" />
      <circle fill={ref('rim')} cx="340" cy="340" r="322" />
      <circle stroke={ref('lip')} strokeWidth="3" cx="340" cy="340" r="320" />
      <g>
        <circle fill={ref('bed')} cx="340" cy="340" r="286" />
        <circle fill={ref('mesh')} cx="340" cy="340" r="286" />
        <circle fill={ref('well')} cx="340" cy="340" r="286" />
        <circle stroke="#052f22" strokeWidth="4" cx="340" cy="340" r="286" />
        <circle stroke="#7fd9b4" strokeOpacity=".35" strokeWidth="1.5" cx="341" cy="341" r="289" />
      </g>
      {gravel && (
        <>
          <g filter={ref('shadow')}>
            <Stones gravel={bed} />
          </g>
          {falling.map((gravel) => (
            <g className={styles.falling} filter={ref('shadow')} key={gravel.lit}>
              <Stones gravel={gravel} />
            </g>
          ))}
        </>
      )}
      {rejects.length > 0 && (
        <g className={styles.tags} filter={ref('shadow')}>
          {rejects.map((reject) => (
            <Tag reject={reject} key={reject.text} />
          ))}
        </g>
      )}
      {nuggets && (
        <>
          <circle className={styles.glow} fill={ref('glow')} cx="340" cy="336" r="178" />
          <g className={styles.gold} filter={ref('shadow')}>
            {Object.entries(gold).map(([color, faces]) => (
              <path fill={color} d={faces} key={color} />
            ))}
            <path stroke="#fff3c9" strokeOpacity=".45" d={goldEdges} />
          </g>
        </>
      )}
    </svg>
  )
}

function Stones({ gravel }: { gravel: Gravel }) {
  return (
    <>
      {gravel.ground.map(
        (outlines, tone) => outlines && <path fill={TONES[tone]} d={outlines} key={outlines} />,
      )}
      <path fill="#fff" fillOpacity=".42" d={gravel.lit} />
      <path fill="var(--tinta)" fillOpacity=".3" d={gravel.shade} />
    </>
  )
}

const TONES = ['#b3b2a6', '#9b9d93', '#c2b8a2']

function Tag({ reject: { text, x, y, turn, width } }: { reject: Reject }) {
  return (
    <g transform={`translate(${x} ${y}) rotate(${turn})`}>
      <g className={styles.tag}>
        <path
          fill="#f4eee1"
          d={`M0 16 13 3.5A5 5 0 0 1 16.5 2h${width - 16.5}a5 5 0 0 1 5 5v18a5 5 0 0 1-5 5H16.5A5 5 0 0 1 13 28.5z`}
        />
        <circle fill="#8f8a7c" cx="15" cy="16" r="3.5" />
        <text fill="#2f3a34" x="25" y="21">
          {text}
        </text>
      </g>
    </g>
  )
}
