// Sets up RapiDoc: the colours of the browser, search on a phone, and a fresh key for each try.
const reference = document.querySelector('rapi-doc');
const inside = reference.shadowRoot;

const dark = matchMedia('(prefers-color-scheme: dark)');
const paint = () => {
  reference.setAttribute('theme', dark.matches ? 'dark' : 'light');
  reference.setAttribute('primary-color', dark.matches ? '#63c7c3' : '#0b5d5e');
};
dark.addEventListener('change', paint);
paint();

// Colours of RapiDoc that are too pale to read.
const legible = new CSSStyleSheet();
legible.replaceSync(`*, *::before, *::after {
  --blue: light-dark(#0a5ea8, #7cc4ff);
  --green: light-dark(#3a6200, #9ad650);
  --red: light-dark(#a3291f, #ff9d90);
  --orange: light-dark(#8a4b00, #f0c169);
  --light-fg: light-dark(#5b5f66, #a6aab2);
  --placeholder-color: light-dark(#5b5f66, #a6aab2);
  --nav-get-color: #7cc4ff;
  --nav-post-color: #9ad650;
  --nav-delete-color: #ff9d90;
}
.path, .descr, .title { min-width: 0; white-space: normal !important; word-break: normal !important; overflow-wrap: anywhere; }
#api-info { margin-left: 0 !important; }
pre code { white-space: pre-wrap !important; overflow-wrap: anywhere; }`);
inside.adoptedStyleSheets.push(legible);

// RapiDoc hides its sidebar with its search on a phone: there the page itself lists the operations.
const narrow = matchMedia('(max-width: 767px)');
const search = document.querySelector('input');
const find = () => {
  const words = narrow.matches ? search.value.trim().toLowerCase().split(/\s+/) : [];
  for (const operation of inside.querySelectorAll('.m-endpoint')) {
    const text = operation.textContent.toLowerCase();
    operation.hidden = !words.every((word) => text.includes(word));
  }
};
const arrange = () => reference.setAttribute('render-style', narrow.matches ? 'view' : 'focused');
narrow.addEventListener('change', arrange);
arrange();
search.addEventListener('input', () => {
  find();
  inside.querySelector('.m-endpoint:not([hidden])')?.scrollIntoView({ block: 'nearest' });
});
// RapiDoc draws its elements anew after it has read the document and at each choice, without these names.
const observed = new WeakSet();
const redrawn = new MutationObserver(() => {
  find();
  name(inside);
});
function name(root) {
  if (!observed.has(root)) redrawn.observe(root, { childList: true, subtree: true });
  observed.add(root);
  root.querySelector('.nav-bar')?.setAttribute('aria-label', 'Operations');
  for (const field of root.querySelectorAll('.request-param:not([aria-label])')) {
    field.setAttribute('aria-label', field.dataset.pname);
  }
  for (const body of root.querySelectorAll('textarea:not([aria-label])')) {
    body.setAttribute('aria-label', 'Request body');
  }
  for (const sample of root.querySelectorAll('pre:not([tabindex])')) sample.tabIndex = 0;
  for (const { shadowRoot } of root.querySelectorAll('api-request, api-response')) {
    if (shadowRoot) name(shadowRoot);
  }
}
name(inside);

// A first try works without a visit to the form of tokens.
reference.addEventListener('spec-loaded', ({ detail: { securitySchemes } }) => {
  const [bearer] = securitySchemes;
  const { token } = reference.dataset;
  if (token && !bearer.finalKeyValue) reference.setApiKey(bearer.securitySchemeId, token);
});
reference.addEventListener('before-try', ({ detail: { request } }) => {
  if (!request.headers.has('Idempotency-Key')) return;
  // A page over plain HTTP has no randomUUID.
  const key = Array.from(crypto.getRandomValues(new Uint32Array(4)), (word) => word.toString(16));
  request.headers.set('Idempotency-Key', key.join('-'));
});
