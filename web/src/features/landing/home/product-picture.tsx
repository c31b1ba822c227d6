import { useId } from 'react'
import type { DemoProduct } from '../../../texts/hero-art'
import styles from './product-art.module.css'

/** A product on a table, in the light of the scene, with its percent. Whole at every size. */
export function ProductPicture({ of, off }: { of: DemoProduct['id']; off?: string }) {
  const id = useId()
  const ref = (name: string) => `url(#${id}${name})`
  return (
    <div className={styles.picture}>
      <svg viewBox="30 0 240 184" aria-hidden="true">
        <defs>
          <radialGradient id={`${id}wall`} gradientUnits="userSpaceOnUse" cx="150" cy="31" r="300">
            <stop stopColor="#fffdf7" />
            <stop offset="1" stopColor="#e3dac6" />
          </radialGradient>
          <linearGradient id={`${id}body`} x2="1">
            <stop stopColor="#0d1714" />
            <stop offset=".3" stopColor="#2d3f38" />
            <stop offset=".45" stopColor="#4b6157" />
            <stop offset=".62" stopColor="#1d2b26" />
            <stop offset="1" stopColor="#080f0d" />
          </linearGradient>
          <linearGradient id={`${id}metal`} x2="1">
            <stop stopColor="#8d938c" />
            <stop offset=".4" stopColor="#f4f2ea" />
            <stop offset="1" stopColor="#7a8079" />
          </linearGradient>
          <linearGradient id={`${id}green`} x2=".6" y2="1">
            <stop stopColor="#3dbb8d" />
            <stop offset=".5" stopColor="#0b6b4b" />
            <stop offset="1" stopColor="#07402e" />
          </linearGradient>
        </defs>
        <path fill={ref('wall')} d="M-300-600h900v1000h-900z" />
        <path fill="#d8cdb6" d="M-300 144h900v600h-900z" />
        <path stroke="#fff" strokeOpacity=".6" d="M-300 144h900" />
        {PRODUCTS[of](ref)}
      </svg>
      {off && <b className={styles.off}>{off}</b>}
    </div>
  )
}

const PRODUCTS = {
  fritadeira: (ref: (name: string) => string) => (
    <g transform="translate(0 -10)">
      <ellipse fill="var(--tinta)" fillOpacity=".3" cx="158" cy="178" rx="92" ry="11" />
      <path
        fill={ref('body')}
        d="M90 56c2-28 26-40 60-40s58 12 60 40l6 106c0 10-6 14-16 14H100c-10 0-16-4-16-14z"
      />
      <path
        stroke="#fff"
        strokeOpacity=".4"
        strokeWidth="3"
        strokeLinecap="round"
        fill="none"
        d="M98 54c4-22 24-30 52-30"
      />
      <path stroke="#000" strokeOpacity=".55" strokeWidth="3" d="M87 96h126" />
      <circle fill="#0a1411" stroke={ref('metal')} strokeWidth="4" cx="150" cy="58" r="20" />
      <path stroke="var(--ouro)" strokeWidth="3.5" strokeLinecap="round" d="m150 58 9-12" />
      <rect fill="#0a1411" x="120" y="112" width="60" height="38" rx="13" />
      <rect fill={ref('metal')} x="127" y="110" width="46" height="28" rx="10" />
    </g>
  ),
  tenis: (ref: (name: string) => string) => (
    <g transform="translate(0 -14)">
      <ellipse fill="var(--tinta)" fillOpacity=".28" cx="154" cy="172" rx="112" ry="10" />
      <path fill="#f7f2e6" d="M44 146h208c6 0 8 6 6 12-2 8-8 12-18 12H62c-14 0-20-8-18-24z" />
      <path stroke="#cfc5ae" strokeWidth="2" fill="none" d="M46 156h210" />
      <path
        fill={ref('green')}
        d="M46 148c-4-22 0-50 10-74 8 8 22 8 34-8l14-14c6 22 30 42 62 52 34 10 78 12 88 44z"
      />
      <path fill="#f7f2e6" fillOpacity=".92" d="M96 148c2-26 18-44 40-54l14 9c-18 9-30 24-32 45z" />
      <path
        stroke="#f7f2e6"
        strokeWidth="4"
        strokeLinecap="round"
        fill="none"
        d="m112 74 22-12m-10 24 22-12m-8 24 20-12m-2 20 18-12"
      />
      <path
        stroke="#c9f5e0"
        strokeOpacity=".7"
        strokeWidth="2.5"
        strokeLinecap="round"
        fill="none"
        d="M58 78c10 6 24 4 34-10l10-12"
      />
    </g>
  ),
  fone: (ref: (name: string) => string) => (
    <g transform="translate(0 -12)">
      <ellipse fill="var(--tinta)" fillOpacity=".26" cx="152" cy="176" rx="90" ry="9" />
      <path
        stroke={ref('body')}
        strokeWidth="15"
        strokeLinecap="round"
        fill="none"
        d="M84 122c-8-64 26-98 66-98s74 34 66 98"
      />
      <path
        stroke="#fff"
        strokeOpacity=".35"
        strokeWidth="2.5"
        strokeLinecap="round"
        fill="none"
        d="M82 92c4-38 30-60 64-62"
      />
      <rect fill={ref('body')} x="62" y="104" width="42" height="68" rx="19" />
      <rect fill={ref('body')} x="196" y="104" width="42" height="68" rx="19" />
      <rect fill={ref('green')} x="96" y="110" width="20" height="56" rx="9" />
      <rect fill={ref('green')} x="184" y="110" width="20" height="56" rx="9" />
      <circle fill="var(--ouro)" cx="74" cy="156" r="3" />
    </g>
  ),
} as const
