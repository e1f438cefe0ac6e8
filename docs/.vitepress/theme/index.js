import theme from 'vitepress/theme';
import { h } from 'vue';
import './style.css';

/** The default's page for a wrong address has no landmark. */
const missing = () =>
  h('main', { class: 'vp-doc missing' }, [
    h('h1', 'There is no such page'),
    h('p', h('a', { href: '/' }, 'All pages')),
  ]);

export default {
  extends: theme,
  Layout: () => h(theme.Layout, null, { 'not-found': missing }),
};
