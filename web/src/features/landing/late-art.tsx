import type { ReactNode } from 'react'
import { createPortal } from 'react-dom'
import type { DrawingName } from './drawing-place'
import { PromoterArt } from './promoter-art'
import { QueuesArt } from './queues-art'
import { RequestArt } from './request-art'
import { solutionArt } from './solution-art'

const drawings: Record<DrawingName, ReactNode> = {
  ...solutionArt,
  promoter: <PromoterArt />,
  request: <RequestArt />,
  queues: <QueuesArt />,
}

/** Each drawing in its place of the section. */
export default function Drawings({ section }: { section: HTMLElement }) {
  const places = section.querySelectorAll<HTMLElement>('[data-drawing]')
  return [...places].map((place) => {
    const name = place.dataset.drawing as DrawingName
    return createPortal(drawings[name], place, name)
  })
}
