// Tells browsers older than the site's build (vite.config.ts) that they are: Object.hasOwn came with
// Chrome 93, the dialog with Safari 15.4 and Firefox 98. In syntax that older ones read too.
if (!(Object.hasOwn && window.HTMLDialogElement)) document.querySelector('.old-browser').hidden = false
