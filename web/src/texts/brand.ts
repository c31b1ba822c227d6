/** Name, contacts and outside links: the product's one brand file, as the catalogue exports it. */
export { brand } from '../catalog/catalog'
