import { useRoute } from 'vitepress';
import DefaultTheme from 'vitepress/theme-without-fonts';
import { nextTick, onMounted, watch } from 'vue';
import './style.css';

/** The theme gives the first page no main landmark, which screen readers jump to. */
function nameMain(): void {
  const content = document.getElementById('VPContent');
  if (content?.querySelector('main')) content.removeAttribute('role');
  else content?.setAttribute('role', 'main');
}

export default {
  extends: DefaultTheme,
  setup() {
    const route = useRoute();
    onMounted(nameMain);
    watch(
      () => route.path,
      () => nextTick(nameMain),
    );
  },
};
