import { registerRootComponent } from 'expo';
import { Till } from './app/till.tsx';

registerRootComponent(Till);
