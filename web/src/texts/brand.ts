/** Name, contacts and outside links: the product's one brand file, as the catalogue exports it. */
export { brand } from '../catalog/catalog'

/** When somebody answers. A placeholder, as the other contacts are, until brand.toml has it. */
export const supportHours = 'segunda a sexta, 9h\u00a0às\u00a018h'
