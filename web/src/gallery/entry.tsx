import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import '../styles/font.css'
import '../styles/tokens.css'
import '../styles/base.css'
import { Gallery } from './gallery'
import { Stage } from './screens'
import { Visitor } from './visitor'

const root = document.getElementById('root')
if (!root) throw new Error('the page has no #root')
const { part, state = '' } = Object.fromEntries(new URLSearchParams(location.search))
createRoot(root).render(
  <StrictMode>
    <Visitor>{part ? <Stage part={part} state={state} /> : <Gallery />}</Visitor>
  </StrictMode>,
)
