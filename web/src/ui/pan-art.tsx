import styles from './pan-art.module.css'

/** The pan seen from above: gravel around, one nugget. */
export function PanArt() {
  return (
    <svg className={styles.art} viewBox="0 0 360 360" fill="none" aria-hidden="true">
      <circle fill="var(--folha)" cx="180" cy="180" r="168" />
      <circle fill="var(--papel)" cx="180" cy="180" r="142" />
      <g stroke="var(--seixo)" strokeWidth="5" strokeDasharray="0 13" strokeLinecap="round">
        <circle cx="180" cy="180" r="124" />
        <circle cx="180" cy="180" r="100" />
        <circle cx="180" cy="180" r="76" />
        <circle cx="180" cy="180" r="52" />
        <circle cx="180" cy="180" r="28" />
      </g>
      <g fill="var(--seixo-escuro)">
        <path d="m96 122 22-10 18 12-6 20-26 4z" />
        <path d="m236 92 16 4 6 18-16 10-14-12z" />
        <path d="m262 206 20 6 2 20-20 10-14-18z" />
        <path d="m112 238 26-6 12 18-16 16-24-8z" />
        <path d="m160 80 14-6 10 10-8 12-14-2z" />
        <path d="m206 268 18-2 6 14-14 10-14-8z" />
      </g>
      <path fill="var(--ouro)" d="m150 176 12-24 30-8 26 16 6 28-20 24-32 4-22-16z" />
      <path fill="var(--ouro-claro)" d="m150 176 12-24 30-8-12 26z" />
      <path fill="var(--ouro-escuro)" opacity="0.35" d="m180 170 12-26 26 16-16 20z" />
    </svg>
  )
}
