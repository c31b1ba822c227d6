import { staticPart } from '../lib/static-part'

export default staticPart(() => import('../features/company/about'))
