import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import '../styles/font.css'
import '../styles/tokens.css'
import '../styles/base.css'
import { queryClient } from '../api/query-client'
import { ToastProvider } from '../lib/toasts'
import { Gallery } from './gallery'
import { Stage } from './screens'

// No part calls the server here.
queryClient.setDefaultOptions({ queries: { ...queryClient.getDefaultOptions().queries, enabled: false } })
const answer = { offers: [], selectedPriceCentavos: 197_90n, monthlyPriceCentavos: 237_90n }
queryClient.setQueryDefaults(['offers', { planId: 'elite_nivel_2' }], {
  initialData: { answer },
})

const root = document.getElementById('root')
if (!root) throw new Error('the page has no #root')
const { part, state = '' } = Object.fromEntries(new URLSearchParams(location.search))
createRoot(root).render(
  <StrictMode>
    <ToastProvider>{part ? <Stage part={part} state={state} /> : <Gallery />}</ToastProvider>
  </StrictMode>,
)
