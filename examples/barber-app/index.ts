import { registerRootComponent } from 'expo';
import { App } from './app/App.tsx';

registerRootComponent(App);
